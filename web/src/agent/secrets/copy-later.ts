/**
 * Copies a text that is still being fetched. Browsers allow copying only right after a click; a clipboard item
 * may be filled later.
 */
export async function copyLater(text: Promise<string>): Promise<void> {
  // The clipboard hides the reason of a failure, so that the text is awaited as well.
  const blob = text.then((each) => new Blob([each], { type: 'text/plain' }))
  const copied = navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
  copied.catch(() => undefined)
  await text
  await copied
}
