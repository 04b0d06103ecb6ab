import { stat } from 'node:fs/promises'
import { readCertificate, type Certificate, type CertificateFiles } from './certificate.ts'

/** Certificate and key of two files, read again when one of them changes. What cannot be used leaves the one before in force. */
export class CertificateWatch {
  /** Undefined until there is one that can be used. */
  current: Certificate | undefined
  /** What is wrong with the files as they are; null for nothing. */
  problem: string | null = null
  readonly files: CertificateFiles
  #seen = ''

  constructor(files: CertificateFiles) {
    this.files = files
  }

  /** Looks at the files. Resolves with a certificate when there is another one than before. */
  async look(): Promise<Certificate | undefined> {
    const seen = await this.#mark()
    if (seen === this.#seen) return undefined
    this.#seen = seen
    try {
      const found = await readCertificate(this.files)
      this.problem = null
      const known = this.current
      if (known !== undefined && known.cert.equals(found.cert) && known.key.equals(found.key)) return undefined
      this.current = found
      return found
    } catch (error) {
      this.problem = (error as Error).message
      return undefined
    }
  }

  /** Changes when a file does: its content, its place or who may read it. */
  async #mark(): Promise<string> {
    const marks = [this.files.certificate, this.files.key].map(async (path) => {
      const facts = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? 'failed')
      return typeof facts === 'string' ? facts : `${facts.dev}:${facts.ino}:${facts.size}:${facts.ctimeMs}`
    })
    return (await Promise.all(marks)).join(' ')
  }
}
