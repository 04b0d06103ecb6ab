import { X509Certificate } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { CertifiedKey } from './certificates.ts'
import * as store from './store.ts'

/** Contexts that the sealed keys of the authority are bound to. */
export const authoritySealContext = {
  privateKey: 'node_authority.private_key',
  serverKey: 'node_authority.server_key',
}

export interface NodeAuthorityDependencies {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
}

/** The authority with the certificate of this service, opened. */
interface OpenedAuthority {
  readonly authority: CertifiedKey
  readonly server: CertifiedKey
  /** SHA-256 of the authority's certificate, hex. */
  readonly fingerprint: string
}

/** Loaded when certificates are made: it takes 24 MiB, and a service whose nodes have all joined needs none of it. */
const loadCertificates = () => import('./certificates.ts')

/** The certificate authority of an installation, made when it is used first. */
export class NodeAuthority {
  readonly #dependencies: NodeAuthorityDependencies

  constructor(dependencies: NodeAuthorityDependencies) {
    this.#dependencies = dependencies
  }

  /** The authority's fingerprint, and the service's certificate with its key. */
  async read(): Promise<OpenedAuthority> {
    const { db, sealer } = this.#dependencies
    const row = (await store.findAuthorityRow(db)) ?? (await this.#create())
    return {
      authority: { certificate: row.certificate, key: sealer.open(row.private_key, authoritySealContext.privateKey) },
      server: { certificate: row.server_certificate, key: sealer.open(row.server_key, authoritySealContext.serverKey) },
      fingerprint: fingerprintOf(new X509Certificate(row.certificate)),
    }
  }

  /** Signs the certificate of the node with this id; undefined when the request is not a proper one. */
  async sign(id: string, request: string): Promise<string | undefined> {
    const { authority } = await this.read()
    const { signNodeCertificate } = await loadCertificates()
    return signNodeCertificate(authority, { id, request })
  }

  async #create() {
    const { db, sealer, clock } = this.#dependencies
    const { createAuthorityCertificate, createServerCertificate } = await loadCertificates()
    const authority = await createAuthorityCertificate()
    const server = await createServerCertificate(authority)
    await store.insertAuthorityRow(db, {
      id: 1,
      certificate: authority.certificate,
      private_key: sealer.seal(authority.key, authoritySealContext.privateKey),
      server_certificate: server.certificate,
      server_key: sealer.seal(server.key, authoritySealContext.serverKey),
      created_at: clock.now(),
    })
    const row = await store.findAuthorityRow(db)
    if (row === undefined) throw new Error('the certificate authority of nodes was not stored')
    return row
  }
}

/** Fingerprint of a certificate as it is stored and compared: SHA-256, hex. */
export const fingerprintOf = ({ fingerprint256 }: Pick<X509Certificate, 'fingerprint256'>): string =>
  fingerprint256.replaceAll(':', '').toLowerCase()
