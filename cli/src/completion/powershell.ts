import type { Completion } from '../grammar/types.ts'
import { isList, places, spellings, valueSpellings } from './model.ts'

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
const list = (texts: readonly string[]) => `@(${texts.map(quote).join(', ')})`

/** PowerShell completes files by itself where nothing is offered. */
const offer = (complete: Completion | undefined) => (isList(complete) ? list(complete) : '@()')

export function powershellScript(): string {
  const all = places()
  const entries = all.map(({ path, words, options, args }) => {
    const values = options
      .filter(({ complete }) => isList(complete))
      .flatMap((option) => spellings(option).map((each) => `${quote(each)} = ${offer(option.complete)}`))
    const own = args.map(({ complete }) => `,${offer(complete)}`)
    return `    ${quote(path)} = @{
      Words = ${list(words.map(({ word }) => word))}
      Options = ${list(options.map(({ name }) => `--${name}`))}
      Values = @{ ${values.join('; ')} }
      Args = @(${own.join('; ')})
    }`
  })
  return `# PowerShell completion of agent-console
Register-ArgumentCompleter -Native -CommandName agent-console -ScriptBlock {
  param($current, $ast, $position)
  $places = @{
${entries.join('\n')}
  }
  $takesValue = ${list(valueSpellings(all))}
  $path = ''; $args_ = 0; $previous = ''
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($current -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  foreach ($word in $words) {
    if ($takesValue -ccontains $previous) { $previous = ''; continue }
    $previous = $word
    if ($word.StartsWith('-')) { continue }
    $next = if ($path) { "$path $word" } else { $word }
    if ($places.ContainsKey($next)) { $path = $next } else { $args_++ }
  }
  $place = $places[$path]
  $offered = if ($place.Values.ContainsKey($previous)) { $place.Values[$previous] }
    elseif ($takesValue -ccontains $previous) { @() }
    elseif ($current.StartsWith('-')) { $place.Options }
    elseif ($args_ -eq 0 -and $place.Words.Count -gt 0) { $place.Words }
    elseif ($args_ -lt $place.Args.Count) { $place.Args[$args_] }
    else { @() }
  $offered | Where-Object { $_ -like "$current*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`
}
