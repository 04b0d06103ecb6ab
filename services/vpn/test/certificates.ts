import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { temporaryDirectory } from '@hearth/testing'

/** A certificate authority of the test's own. */
export interface TestAuthority extends AsyncDisposable {
  /** Its certificate, PEM; and where it lies. */
  readonly ca: string
  readonly path: string
  /** A key and a certificate for a host name, and for more when named, PEM. */
  issue(name: string, more?: readonly string[]): Promise<{ readonly key: string; readonly cert: string }>
}

/** Makes an authority with `openssl`. */
export async function createAuthority(): Promise<TestAuthority> {
  const folder = await temporaryDirectory('ca')
  const at = (name: string) => join(folder.path, name)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await execa('openssl', [
    'req',
    '-x509',
    ...key,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
    '-subj',
    '/CN=Test',
    '-days',
    '2',
  ])
  return {
    ca: await readFile(at('ca.pem'), 'utf8'),
    path: at('ca.pem'),
    async issue(name, more = []) {
      const base = at(name)
      await mkdir(base, { recursive: true })
      const [keyFile, certFile] = [join(base, 'key.pem'), join(base, 'cert.pem')]
      const names = [name, ...more].map((each) => `DNS:${each}`).join(',')
      const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-addext', `subjectAltName=${names}`]
      const subject = ['-subj', `/CN=${name}`, '-days', '2']
      await execa('openssl', ['req', '-x509', ...key, '-keyout', keyFile, '-out', certFile, ...subject, ...signing])
      return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
