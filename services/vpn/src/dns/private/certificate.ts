import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Where certificate and key lie, PEM. */
export interface CertificateFiles {
  /** The certificate, then those of the authorities between it and a root. */
  readonly certificate: string
  readonly key: string
}

/** A certificate that fits its key. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
  readonly leaf: X509Certificate
}

/** What a certificate says; milliseconds since the epoch. */
export interface CertificateFacts {
  readonly names: readonly string[]
  readonly validFrom: number
  readonly validTo: number
  /** It holds for the host name itself, which DNS over HTTPS uses. */
  readonly isForName: boolean
  /** It holds for what is below the host name, which DNS over TLS uses. */
  readonly isForDevices: boolean
}

/** Reads certificate and key. Rejects with the setting and what is wrong; the text of neither is repeated. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    read('DNS_TLS_CERTIFICATE', files.certificate),
    read('DNS_TLS_KEY', files.key),
  ])
  const leaf = attempt('DNS_TLS_CERTIFICATE holds no certificate in PEM form', () => new X509Certificate(cert))
  const privateKey = attempt('DNS_TLS_KEY holds no private key in PEM form without a password', () =>
    createPrivateKey(key),
  )
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('DNS_TLS_KEY does not belong to DNS_TLS_CERTIFICATE')
  return { cert, key, leaf }
}

/** What a certificate says, for this host name. */
export function certificateFacts({ leaf }: Certificate, name: string): CertificateFacts {
  return {
    names: (leaf.subjectAltName ?? '')
      .split(', ')
      .filter((part) => part.startsWith('DNS:'))
      .map((part) => part.slice(4)),
    validFrom: leaf.validFromDate.getTime(),
    validTo: leaf.validToDate.getTime(),
    isForName: leaf.checkHost(name) !== undefined,
    isForDevices: leaf.checkHost(`device.${name}`) !== undefined,
  }
}

async function read(setting: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? 'unknown error'})`
    throw new Error(`${setting}: ${reason}: ${path}`, { cause: error })
  }
}

/** OpenSSL's own words may quote what it read. */
function attempt<T>(message: string, work: () => T): T {
  try {
    return work()
  } catch {
    throw new Error(message)
  }
}
