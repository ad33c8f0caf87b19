import { EXIT, Failure } from '../failure.ts'

/** What is wrong in a file. */
export interface Fault {
  /** As the user names it. */
  file: string
  line: number | undefined
  message: string
}

/** In the form that editors and CI systems turn into a link. */
export const showFault = ({ file, line, message }: Fault): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${message}`

export function sortFaults(faults: readonly Fault[]): Fault[] {
  return faults.toSorted(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || (a.line ?? 0) - (b.line ?? 0),
  )
}

/** All of them at once: a user corrects them in one go. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length === 0) return
  const lines = sortFaults(faults).map((fault) => `  ${showFault(fault)}`)
  const what = faults.length === 1 ? 'A file is not valid:' : `The files have ${faults.length} faults:`
  throw new Failure([what, ...lines].join('\n'), EXIT.error)
}
