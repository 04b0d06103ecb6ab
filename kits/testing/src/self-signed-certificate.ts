import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and its own certificate for a name, PEM; made by hand, because the runtime has no maker of certificates. */
export function selfSignedCertificate(name: string): { key: string; certificate: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const der = (tag: number, ...parts: (Buffer | string)[]): Buffer => {
    const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
    const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255]
    return Buffer.concat([Buffer.from([tag, ...length]), content])
  }
  const algorithm = der(0x30, der(6, Buffer.from('2a8648ce3d040302', 'hex')))
  const issuer = der(0x30, der(0x31, der(0x30, der(6, Buffer.from([0x55, 4, 3])), der(12, name))))
  const validity = der(0x30, der(0x17, '200101000000Z'), der(0x18, '21200101000000Z'))
  const names = der(0x30, der(6, Buffer.from([0x55, 0x1d, 0x11])), der(4, der(0x30, der(0x82, name))))
  const content = der(
    0x30,
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1])),
    algorithm,
    issuer,
    validity,
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, names)),
  )
  const signature = der(3, Buffer.from([0]), sign('sha256', content, privateKey))
  const body = der(0x30, content, algorithm, signature).toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  }
}
