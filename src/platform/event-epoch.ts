const FIRST_EPOCH = 1

/** The epoch of a message of the stream. A message that is not one of ours counts as one of the first epoch. */
export function epochOf(json: Uint8Array): number {
  try {
    const { epoch } = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString()) as {
      epoch?: unknown
    }
    return Number.isSafeInteger(epoch) && Number(epoch) > FIRST_EPOCH ? Number(epoch) : FIRST_EPOCH
  } catch {
    return FIRST_EPOCH
  }
}
