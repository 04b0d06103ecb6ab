/** Writes what stands between a record's owner and its data: type, class IN, TTL and the data's size. Returns the position behind it. */
export function writeRecordHead(out: Uint8Array, at: number, type: number, ttl: number, size: number): number {
  out[at] = type >> 8
  out[at + 1] = type
  out[at + 2] = 0
  out[at + 3] = 1
  out[at + 4] = ttl >>> 24
  out[at + 5] = ttl >>> 16
  out[at + 6] = ttl >>> 8
  out[at + 7] = ttl
  out[at + 8] = size >> 8
  out[at + 9] = size
  return at + 10
}
