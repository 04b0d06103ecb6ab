/**
 * The alphabet of patterns: each byte of a name is one of 43 symbols, and so are the places before and after the name, so that
 * `^` and `$` are letters like any other.
 */
export const symbolCount = 43

/** Bytes that are in no host name; queries may hold them all the same. */
export const otherSymbol = 40
export const startSymbol = 41
export const endSymbol = 42

/** Bytes for the places around a name where a pattern's fixed parts are looked for. A label follows the start as it follows a dot. */
export const startByte = 46
export const endByte = 3

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789-._'

/** For each byte its symbol. */
export const symbolOf: Uint8Array = new Uint8Array(256).fill(otherSymbol)
for (let k = 0; k < letters.length; k++) symbolOf[letters.charCodeAt(k)] = k

/** The byte a symbol stands for in fixed parts; 0 for the one that stands for many. */
export function byteOfSymbol(symbol: number): number {
  if (symbol === startSymbol) return startByte
  if (symbol === endSymbol) return endByte
  return symbol < letters.length ? letters.charCodeAt(symbol) : 0
}
