const polynomial = 0x1021
const initial = 0xffff

/** Contribution of each value of the register's upper byte. */
const table = Uint16Array.from({ length: 256 }, (_, index) => {
  let register = index << 8
  for (let bit = 0; bit < 8; bit += 1) register = register & 0x8000 ? (register << 1) ^ polynomial : register << 1
  return register
})

/** The register before the first byte. Exported with `crc16Step` for code that computes while it walks over bytes anyway. */
export const crc16Start = initial

/** The register after one more byte. */
export function crc16Step(register: number, byte: number): number {
  return ((register << 8) ^ (table[(register >> 8) ^ byte] ?? 0)) & 0xffff
}

/** The checksum that goes with a register after `count` bytes: an odd count is padded with one zero byte that is not sent. */
export function crc16End(register: number, count: number): number {
  return count % 2 === 0 ? register : crc16Step(register, 0)
}

/** Checksum of the unescaped bytes of a frame from the command to the end of the payload: CRC-16/CCITT-FALSE, padded to even. */
export function crc16(bytes: Uint8Array, end: number = bytes.length): number {
  let register = initial
  for (let index = 0; index < end; index += 1) register = crc16Step(register, bytes[index] ?? 0)
  return crc16End(register, end)
}
