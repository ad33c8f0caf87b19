// Preloaded into npm by portability.test.ts: npm reads the machine's kind from `process`.
const [platform, arch] = process.env.PRETEND.split('-')
Object.defineProperty(process, 'platform', { value: platform })
Object.defineProperty(process, 'arch', { value: arch })
