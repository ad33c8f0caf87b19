import type { Completion } from '../grammar/types.ts'
import { isList, type Place, PROFILES_COMMAND, places, spellings, valueSpellings } from './model.ts'

/** The places and what to offer there, as branches of a `case`. zsh reads them, too. */
export interface Branches {
  values: string
  known: string
  optionValues: string
  options: string
  words: string
}

export function branches(offer: (complete: Completion) => string): Branches {
  const all = places()
  return {
    values: valueSpellings(all).join('|'),
    known: all
      .filter(({ path }) => path !== '')
      .map(({ path }) => `'${path}'`)
      .join('|'),
    optionValues: all.flatMap((place) => optionValues(place, offer)).join('\n'),
    options: all
      .map(({ path, options }) => `    '${path}') ${offer(options.map(({ name }) => `--${name}`))} ;;`)
      .join('\n'),
    words: all.flatMap((place) => wordBranches(place, offer)).join('\n'),
  }
}

function optionValues({ path, options }: Place, offer: (complete: Completion) => string): string[] {
  return options
    .filter(({ value }) => value !== undefined)
    .map((option) => {
      const patterns = spellings(option).map((each) => `'${path}:${each}'`)
      return `    ${patterns.join('|')}) ${option.complete ? offer(option.complete) : ':'}; return ;;`
    })
}

/** The words after a path, or its first, second… argument. */
function wordBranches({ path, words, args }: Place, offer: (complete: Completion) => string): string[] {
  const first = words.length > 0 ? [`    '${path}:0') ${offer(words.map(({ word }) => word))} ;;`] : []
  const others = args.flatMap(({ complete }, index) =>
    complete === undefined ? [] : [`    '${path}:${index}') ${offer(complete)} ;;`],
  )
  return [...first, ...others]
}

export function bashScript(): string {
  const { values, known, optionValues, options, words } = branches((complete) => {
    if (complete === 'file') return 'COMPREPLY=($(compgen -f -- "$current"))'
    const list = isList(complete) ? complete.join(' ') : `$(${PROFILES_COMMAND})`
    return `COMPREPLY=($(compgen -W "${list}" -- "$current"))`
  })
  return `# bash completion of agent-console
_agent_console() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' args=0 i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${values}) i=$((i + 1)); continue ;;
      -*) continue ;;
    esac
    case "\${path:+$path }$word" in
      ${known}) path="\${path:+$path }$word" ;;
      *) args=$((args + 1)) ;;
    esac
  done
  case "$path:$previous" in
${optionValues}
  esac
  if [[ "$current" == -* ]]; then
    case "$path" in
${options}
    esac
    return
  fi
  case "$path:$args" in
${words}
  esac
}
complete -F _agent_console agent-console
`
}
