import { toBuffer } from 'qrcode'

/** A PNG picture of a text, for a phone's WireGuard app to scan: black on white, with the quiet zone readers need. */
export function encodeQrCode(text: string): Promise<Buffer> {
  return toBuffer(text, { type: 'png', errorCorrectionLevel: 'M', margin: 4, scale: 8 })
}
