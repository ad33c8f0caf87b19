/** Returns a function that is built when it is first called: a start does not wait for what no request has asked for yet. */
export function onFirstUse<Work extends (value: never) => unknown>(build: () => Work): Work {
  let built: Work | undefined
  return ((value: never) => {
    built ??= build()
    return built(value)
  }) as Work
}
