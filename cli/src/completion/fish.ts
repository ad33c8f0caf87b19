import type { Completion } from '../grammar/types.ts'
import { isList, type Place, PROFILES_COMMAND, places, valueSpellings } from './model.ts'

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export function fishScript(): string {
  const all = places()
  const known = all.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# fish completion of agent-console
# Whether the words so far are this command with this number of arguments. Without a number: any.
function __agent_console_at
    set -l path
    set -l args 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueSpellings(all).join(' ')}
                set skip 1
            case '-*'
            case '*'
                if contains -- (string join ' ' $path $word) ${known.join(' ')}
                    set path $path $word
                else
                    set args (math $args + 1)
                end
        end
    end
    test "$path" = "$argv[1]"; and begin
        test (count $argv) = 1; or test $argv[2] = $args
    end
end
complete -c agent-console -f
${all.flatMap(lines).join('\n')}
`
}

function lines({ path, words, options, args }: Place): string[] {
  const at = (index?: number) =>
    `complete -c agent-console -n ${quote(`__agent_console_at '${path}'${index === undefined ? '' : ` ${index}`}`)}`
  return [
    ...words.map(({ word, summary }) => `${at(0)} -a ${word} -d ${quote(summary)}`),
    ...args.flatMap(({ complete }, index) => (complete ? [`${at(index)} ${offer(complete)}`] : [])),
    ...options.map(({ name, short, value, complete, description }) => {
      const names = `-l ${name}${short ? ` -s ${short}` : ''}`
      const taken = value === undefined ? '' : complete ? ` -r ${offer(complete)}` : ' -x'
      return `${at()} ${names}${taken} -d ${quote(description)}`
    }),
  ]
}

function offer(complete: Completion): string {
  if (complete === 'file') return '-F'
  return `-f -a ${quote(isList(complete) ? complete.join(' ') : `(${PROFILES_COMMAND})`)}`
}
