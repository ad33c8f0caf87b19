/** How an AsyncDisposableStack closes what it adopts. */
export async function close(resource: { close: () => unknown }): Promise<void> {
  await resource.close()
}
