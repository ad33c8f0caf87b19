import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import react from '@vitejs/plugin-react'
import { build, type InlineConfig, preview } from 'vite'
import { freePorts } from '../../../dev/free-port.ts'
import { useBrowser, type Visitor, visit } from '../support/browser.ts'

/** Builds the gallery for itself: the build of the product does not have it. */
async function useGallery(): Promise<string> {
  const root = join(import.meta.dirname, '../..')
  const outDir = await mkdtemp(join(tmpdir(), 'console-gallery-'))
  after(() => rm(outDir, { recursive: true }))
  const config: InlineConfig = {
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    build: { outDir, rolldownOptions: { input: join(root, 'gallery/index.html') } },
  }
  await build(config)
  const [port = 0] = await freePorts(1)
  const server = await preview({ ...config, preview: { host: '127.0.0.1', port } })
  after(() => server.close())
  return `${server.resolvedUrls?.local[0]}gallery/`
}

describe('the gallery of components', async () => {
  const url = await useGallery()
  const browser = await useBrowser()

  async function open({ page }: Visitor): Promise<void> {
    await page.goto(url)
    await page.getByRole('heading', { level: 1, name: 'Components' }).waitFor()
  }

  it('has every component in both themes without a finding', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const visitor = await visit(browser, { theme })
      await open(visitor)
      await visitor.check()
      for (const name of ['Menu', 'Popover', 'Dialog', 'Drawer', 'Irreversible']) {
        await visitor.page.getByRole('button', { name, exact: true }).click()
        const layer = visitor.page.getByRole('menu').or(visitor.page.getByRole('dialog')).first()
        await layer.waitFor()
        await visitor.check()
        await visitor.page.keyboard.press('Escape')
        await layer.waitFor({ state: 'detached' })
      }
    }
  })

  it('does not lay the headers of a table over each other on a phone', async () => {
    const visitor = await visit(browser, { width: 390, height: 844 })
    await open(visitor)
    const table = visitor.page.getByRole('table', { name: 'Agents' })
    const header = await table.getByRole('columnheader', { name: 'Name' }).boundingBox()
    const button = await table.getByRole('button', { name: 'Name' }).boundingBox()
    assert.ok(header !== null && button !== null)
    assert.ok(button.width <= header.width, `${button.width} is wider than ${header.width}`)
  })
})
