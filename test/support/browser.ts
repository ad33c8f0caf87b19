import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { closeAfter } from './close-after.ts'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** A reason to skip tests that need a browser. CI sets CHROMIUM, so that it never skips them. */
export const NO_BROWSER =
  process.env['CHROMIUM'] === undefined && !existsSync(executablePath)
    ? `No browser at ${executablePath}. Set CHROMIUM to the path of a Chromium or Chrome.`
    : false

/** A browser for the tests of the calling suite. */
export async function useBrowser(): Promise<Browser> {
  // The sandbox of Chromium does not start as root, and the tests load pages of this project only.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  closeAfter(() => browser.close())
  return browser
}
