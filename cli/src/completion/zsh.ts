import { branches } from './bash.ts'
import { isList, PROFILES_COMMAND } from './model.ts'

export function zshScript(): string {
  const { values, known, optionValues, options, words } = branches((complete) => {
    if (complete === 'file') return '_files'
    return isList(complete)
      ? `compadd -- ${complete.join(' ')}`
      : `compadd -- \${(f)"$(${PROFILES_COMMAND})"}`
  })
  return `#compdef agent-console
# zsh completion of agent-console
_agent_console() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" path_='' word
  local -i args=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$word" in
      ${values}) i=$((i + 1)); continue ;;
      -*) continue ;;
    esac
    case "\${path_:+$path_ }$word" in
      ${known}) path_="\${path_:+$path_ }$word" ;;
      *) args=$((args + 1)) ;;
    esac
  done
  case "$path_:$previous" in
${optionValues}
  esac
  if [[ "$current" == -* ]]; then
    case "$path_" in
${options}
    esac
    return
  fi
  case "$path_:$args" in
${words}
  esac
}
if [ "$funcstack[1]" = "_agent_console" ]; then
  _agent_console
else
  compdef _agent_console agent-console
fi
`
}
