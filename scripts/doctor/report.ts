import type { Finding, Level } from './finding.ts'

/** One line for each finding, and below a problem what to do. */
export function formatReport(findings: readonly Finding[]): string {
  const levelWidth = width(findings.map(({ level }) => level))
  const checkWidth = width(findings.map(({ check }) => check))
  const indent = ' '.repeat(levelWidth + checkWidth + 4)
  const lines = findings.flatMap(({ level, check, text, fix }) => [
    `${level.padEnd(levelWidth)}  ${check.padEnd(checkWidth)}  ${text}`,
    ...(fix === undefined ? [] : [`${indent}-> ${fix}`]),
  ])
  return [...lines, '', summarise(findings)].join('\n')
}

function summarise(findings: readonly Finding[]): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [problems, advices] = [count('problem'), count('advice')]
  const advice = advices === 0 ? '' : ` ${advices} ${advices === 1 ? 'line is' : 'lines are'} advice.`
  if (problems === 0) return `No problems.${advice} The rest of the list: docs/production-checklist.md`
  return `${problems === 1 ? '1 problem' : `${problems} problems`}: follow the steps after -> from top to bottom, then run this again.${advice}`
}

const width = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length))
