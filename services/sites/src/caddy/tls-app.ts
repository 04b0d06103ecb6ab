import type { CompiledSite, ConfigOptions, NodeProfile } from './desired-state.ts'
import { escapeBraces } from '../sites/placeholders.ts'

/** The tls app, with the sites behind each of its positions. */
export interface TlsApp {
  readonly app: object
  readonly automationPolicies: number[][]
  readonly pemCertificates: number[][]
  readonly certificateFiles: { files: string[]; sites: number[] }[]
}

const letsEncryptStaging = 'https://acme-staging-v02.api.letsencrypt.org/directory'

/** Compiles the tls app: the certificates that Caddy gets itself, and those it is given. */
export function tlsApp(sites: readonly CompiledSite[], options: ConfigOptions, node: NodeProfile): TlsApp {
  const automation = automationPolicies(sites, options)
  const pem = certificatesOf(sites, 'pem')
  const files = certificatesOf(sites, 'files')
  const certificates = {
    ...(pem.length > 0 && { load_pem: pem.map(({ entry }) => entry) }),
    ...(files.length > 0 && { load_files: files.map(({ entry }) => entry) }),
  }
  const onDemand = onDemandGuard(sites, options, node)
  return {
    app: {
      ...(Object.keys(certificates).length > 0 && { certificates }),
      automation: { policies: automation.map(({ policy }) => policy), ...(onDemand && { on_demand: onDemand }) },
    },
    automationPolicies: automation.map(({ ids }) => ids),
    pemCertificates: pem.map(({ ids }) => ids),
    certificateFiles: files.map(({ entry, ids }) => ({ files: [entry.certificate, entry.key], sites: ids })),
  }
}

interface Policy {
  readonly policy: { subjects: string[]; issuers: object[]; on_demand?: true }
  readonly ids: number[]
}

/** Sites with the same authority share a policy. */
function automationPolicies(sites: readonly CompiledSite[], options: ConfigOptions): Policy[] {
  const policies = new Map<string, Policy>()
  for (const site of sites) {
    const { mode } = site.record.tls
    if (mode === 'off' || mode === 'custom') continue
    const isOnDemand = mode === 'on_demand'
    const issuer = issuerOf(site, options)
    const key = JSON.stringify([isOnDemand, issuer])
    const policy = policies.get(key) ?? {
      policy: { subjects: [], issuers: [issuer], ...(isOnDemand && { on_demand: true as const }) },
      ids: [],
    }
    policy.policy.subjects.push(...site.record.domains)
    policy.ids.push(site.id)
    policies.set(key, policy)
  }
  return [...policies.values()]
}

function issuerOf({ record: { tls } }: CompiledSite, options: ConfigOptions): object {
  if (tls.mode === 'internal') return { module: 'internal' }
  const ca = tls.acme_ca ?? (tls.staging ? letsEncryptStaging : options.acmeCa)
  const account = ca === undefined ? undefined : options.externalAccounts?.get(ca)
  return {
    module: 'acme',
    ...(ca !== undefined && { ca: escapeBraces(ca) }),
    ...(options.acmeEmail !== undefined && { email: escapeBraces(options.acmeEmail) }),
    ...(account !== undefined && { external_account: { key_id: account.keyId, mac_key: account.key } }),
  }
}

/** Returns the check before an on-demand certificate is made. Never a rate limit: on old versions its removal breaks Caddy. */
function onDemandGuard(sites: readonly CompiledSite[], options: ConfigOptions, node: NodeProfile): object | undefined {
  if (!sites.some(({ record }) => record.tls.mode === 'on_demand')) return undefined
  const endpoint = options.onDemandAsk ?? 'http://127.0.0.1:1/hearth-nobody-allows'
  return node.capabilities.onDemandPermission ? { permission: { module: 'http', endpoint } } : { ask: endpoint }
}

/** The tag by which a connection policy chooses an uploaded certificate. */
export function certificateTag({ record }: CompiledSite): string {
  return `certificate-${record.tls.certificate_id}`
}

interface Certificate {
  readonly entry: { readonly certificate: string; readonly key: string; readonly tags: string[] }
  readonly ids: number[]
}

function certificatesOf(sites: readonly CompiledSite[], form: 'pem' | 'files'): Certificate[] {
  const found = new Map<string, Certificate>()
  for (const site of sites) {
    const { certificate } = site
    if (site.record.tls.mode !== 'custom' || certificate?.form !== form) continue
    const tag = certificateTag(site)
    const known = found.get(tag)
    if (known) known.ids.push(site.id)
    else
      found.set(tag, {
        entry: { certificate: certificate.certificate, key: certificate.key, tags: [tag] },
        ids: [site.id],
      })
  }
  return [...found.values()]
}
