// Preloaded by dev-refusals.test.ts.
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })
