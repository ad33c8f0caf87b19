// Preloaded into each Node process that `npm run dev` starts: it ends when `npm run dev` was killed without a chance
// to end its children. The channel to the parent closes then.
if (process.channel) {
  process.once('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5_000).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  process.channel.unref()
}
