import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { agentRows } from '../support/lists.ts'
import { useWorld } from '../support/world.ts'

const PHONE = { width: 390, height: 844 }

interface Box {
  x: number
  y: number
  width: number
  height: number
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox()
  assert.ok(box)
  return box
}

/** The boxes of two elements at the same time: a page that still loads can move between two looks. */
async function boxesOf(first: Locator, second: Locator): Promise<[Box, Box]> {
  const other = await second.elementHandle()
  return first.evaluate(
    (element, another) =>
      [element, another].map((one) => (one as Element).getBoundingClientRect().toJSON()) as [Box, Box],
    other,
  )
}

describe('the layout', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const agent = `/agents/${world.agents['concierge']}`

  it('does not move the checkbox of a row when it is checked', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, '/agents')
    const checkbox = agentRows(visitor.page).getByRole('checkbox').first()
    const before = await boxOf(checkbox)
    await checkbox.check()
    assert.deepEqual(await boxOf(checkbox), before)
  })

  it('shows the times of the last changes below each other, with or without an avatar', async () => {
    const visitor = await visit(browser, {})
    await open(visitor, world, '/agents')
    const times = agentRows(visitor.page).getByRole('time')
    await times.first().waitFor()
    const lefts = await times.evaluateAll((all) => all.map((time) => time.getBoundingClientRect().left))
    assert.equal(new Set(lefts).size, 1, lefts.join(' '))
  })

  it('says in the header of a phone whether the page follows changes', async () => {
    for (const path of ['/agents', '/lifecycle', '/audit']) {
      const visitor = await visit(browser, PHONE)
      await open(visitor, world, path)
      const header = visitor.page.locator('header:has(h1)')
      await header.getByText('Live', { exact: true }).waitFor()
      const [{ y, height }, title] = await boxesOf(
        header.getByTitle('Live').locator('span').first(),
        header.getByRole('heading'),
      )
      assert.ok(Math.abs(y + height / 2 - title.y - title.height / 2) <= 1, `${y} beside ${title.y}`)
      await visitor.check()
    }
  })

  it('shows the letters of a revision below its time on a phone', async () => {
    const visitor = await visit(browser, PHONE)
    await open(visitor, world, `${agent}/history`)
    const first = visitor.page.locator('li[data-revision="1"]')
    await first.scrollIntoViewIfNeeded()
    const [time, letters] = await boxesOf(
      first.getByRole('time'),
      first.getByRole('button', { name: /^A ?:/ }),
    )
    assert.ok(letters.y >= time.y + time.height, `${letters.y} is above ${time.y + time.height}`)
    assert.ok(letters.height >= 32, `${letters.height} px high`)
  })

  it('begins the people of the activity at the same edge', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, `${agent}/activity`)
    const avatars = visitor.page.getByRole('main').getByRole('listitem').locator('[title][aria-hidden]')
    await avatars.first().waitFor()
    const starts = await avatars.evaluateAll((all) => all.map((avatar) => avatar.getBoundingClientRect().x))
    assert.equal(new Set(starts).size, 1, starts.join(', '))
  })

  it('ends the times and the letters of the history at the same edge', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, `${agent}/history`)
    const lines = visitor.page.locator('li[data-revision]')
    await lines.first().waitFor()
    const ends = await lines.evaluateAll((all) =>
      all.map((line) => {
        const last = line.querySelector('[aria-pressed="true"]') ?? line.querySelector('time')
        return Math.round(last?.getBoundingClientRect().right ?? 0)
      }),
    )
    assert.equal(new Set(ends).size, 1, ends.join(', '))
  })

  it('has the buttons of the comparison on one line on a phone', async () => {
    const visitor = await visit(browser, PHONE)
    await open(visitor, world, `${agent}/history`)
    const header = visitor.page.getByRole('region', { name: 'Comparison' }).locator('header')
    const [choice, link] = await boxesOf(
      header.getByRole('group', { name: 'How texts are compared' }),
      header.getByRole('button', { name: 'Copy the link to this comparison' }),
    )
    assert.equal(link.y + link.height / 2, choice.y + choice.height / 2)
    assert.ok(choice.height >= 32, `${choice.height} px high`)
  })

  it('shows all of the bar that saves above the navigation of a phone', async () => {
    const visitor = await visit(browser, PHONE)
    const { page } = visitor
    await open(visitor, world, `${agent}/configuration`)
    await page.getByLabel('Purpose').fill('Changed')
    const [bar, navigation] = await boxesOf(
      page.getByTestId('save-bar'),
      page.getByRole('navigation', { name: 'Console, narrow' }),
    )
    assert.ok(bar.y + bar.height <= navigation.y, `${bar.y + bar.height} is below ${navigation.y}`)
  })

  it('names beside the button what saving changes, and leads to the comparison on a phone', async () => {
    const visitor = await visit(browser, PHONE)
    const { page } = visitor
    await open(visitor, world, `${agent}/configuration`)
    await page.getByLabel('Purpose').fill('Changed')
    await page.getByLabel('Rate limit').fill('900')
    await page.getByRole('button', { name: '2 fields: Purpose, Rate limit' }).click()
    const panel = page.getByRole('complementary', { name: 'What saving changes' })
    assert.equal(await panel.evaluate((element) => element === document.activeElement), true)
    const { y, height } = await boxOf(panel)
    assert.ok(y >= 0 && y + height <= (await boxOf(page.getByTestId('save-bar'))).y, `${y}, ${height} high`)
    await visitor.check()
  })

  it('shows the whole line below the open tab', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, agent)
    const tabs = visitor.page.getByRole('navigation', { name: 'Agent' })
    const [tab, { y, height }] = await boxesOf(tabs.getByRole('link', { name: 'Overview' }), tabs)
    assert.ok(tab.y + tab.height <= y + height, `${tab.y + tab.height} is below ${y + height}`)
  })

  it('draws the bar of the create page over its whole width', async () => {
    const visitor = await visit(browser)
    await open(visitor, world, '/agents/new')
    const [bar, page] = await boxesOf(
      visitor.page.locator('form footer'),
      visitor.page.locator('header:has(h1)').locator('..'),
    )
    assert.deepEqual([bar.x, bar.width], [page.x, page.width])
  })

  it('shows all columns of the evaluations on a phone', async () => {
    const visitor = await visit(browser, PHONE)
    await open(visitor, world, `${agent}/scores`)
    const region = visitor.page.getByRole('region', { name: 'Evaluations' })
    await region.waitFor()
    assert.equal(await region.evaluate((element) => element.scrollWidth > element.clientWidth), false)
    await visitor.check()
  })
})
