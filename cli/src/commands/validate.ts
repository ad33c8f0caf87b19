import { showFault, sortFaults } from '../config-as-code/faults.ts'
import { readProject } from '../config-as-code/project.ts'
import { readSetFiles } from '../config-as-code/read-files.ts'
import type { Run } from '../context.ts'
import { EXIT } from '../failure.ts'
import { severalLines } from '../output/safe-text.ts'

export const run: Run = async ({ io, options }) => {
  const project = await readProject(options.text('config'), io)
  const { desired, files, faults: found } = await readSetFiles(project, options.all('file'), io)
  const faults = sortFaults(found)
  return {
    data: {
      files,
      agents: desired.length,
      faults: faults.map((fault) => ({ ...fault, line: fault.line ?? null })),
    },
    names: [...new Set(faults.map(({ file }) => file))],
    render: ({ paint }) =>
      faults.length === 0
        ? `${count(desired.length, 'agent')} in ${count(files, 'file')}: ${paint('valid', 'green')}`
        : [
            ...faults.map((fault) => severalLines(showFault(fault))),
            '',
            paint(count(faults.length, 'fault'), 'red'),
          ].join('\n'),
    exitCode: faults.length === 0 ? EXIT.done : EXIT.error,
  }
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
