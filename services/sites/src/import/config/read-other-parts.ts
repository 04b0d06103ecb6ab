import type { ImportReport } from './site-reading.ts'
import { at, itemsOf, type JsonLocation, membersOf, textOf, textsOf } from './json-location.ts'

/** Accounts for what belongs to no single site: other apps, loggers, certificates nobody chose, and the like. */
export function readOtherParts(root: JsonLocation, report: ImportReport, isOurs: boolean): { acmeEmail?: string } {
  for (const [name, location] of membersOf(root)) {
    if (name === 'apps' || name === 'admin' || name === '@id') continue
    if (name === 'logging') readLogging(location, report)
    else if (name === 'storage') report.lost(location, 'where Caddy stores certificates; the node says that here')
    else report.lost(location, `the part ${name.slice(0, 60)} of the configuration`)
  }
  for (const [name, location] of membersOf(at(root, 'apps'))) {
    if (name === 'http') readHttpOptions(location, report)
    else if (name === 'pki') readAuthorities(location, report)
    else if (name !== 'tls') report.leftOut(location, `the app ${name.slice(0, 60)}`)
  }
  const tls = at(root, 'apps', 'tls')
  if (tls === undefined) return {}
  // What the settings say is in every configuration of ours.
  if (!isOurs) readTlsOptions(tls, report)
  const email = emailOf(tls)
  return email === undefined ? {} : { acmeEmail: email }
}

const httpHarmless = new Set(['servers', 'http_port', 'https_port', 'grace_period', 'shutdown_delay'])

function readHttpOptions(http: JsonLocation, report: ImportReport): void {
  for (const [name, location] of membersOf(http))
    if (!httpHarmless.has(name)) report.lost(location, `the option ${name.slice(0, 60)} of all servers`)
}

/** Loggers of ours go by the names that the compiler gives. */
function readLogging(logging: JsonLocation, report: ImportReport): void {
  for (const [name, location] of membersOf(at(logging, 'logs'))) {
    const isOurs = name === 'access' || /^site-\d+$/.test(name)
    if (!isOurs && !(name === 'default' && isOwnLog(location)))
      report.lost(location, `the log ${name.slice(0, 60)}; sites have one access log here`)
  }
  for (const [name, location] of membersOf(logging))
    if (name !== 'logs') report.lost(location, `the option ${name.slice(0, 60)} of logging`)
}

/** Caddy's log of itself as the compiler writes it: without anything of its own, or in a file of that name. */
function isOwnLog(log: JsonLocation): boolean {
  const members = membersOf(log).map(([member]) => member)
  if (members.every((member) => member === 'exclude')) return true
  const file = textOf(at(log, 'writer', 'filename'))
  return (
    file?.endsWith('/caddy.log') === true &&
    members.every((member) => ['exclude', 'writer', 'encoder'].includes(member))
  )
}

function readAuthorities(pki: JsonLocation, report: ImportReport): void {
  for (const [name, location] of membersOf(at(pki, 'certificate_authorities')))
    if (name !== 'local' || membersOf(location).some(([member]) => member !== 'install_trust'))
      report.lost(location, `the internal authority ${name.slice(0, 60)}`)
}

function readTlsOptions(tls: JsonLocation, report: ImportReport): void {
  for (const [name, location] of membersOf(tls)) {
    if (name === 'automation') readAutomation(location, report)
    else if (name === 'certificates') readCertificates(location, report)
    else report.lost(location, `the option ${name.slice(0, 60)} of TLS`)
  }
}

function readAutomation(automation: JsonLocation, report: ImportReport): void {
  for (const [name, location] of membersOf(automation)) {
    if (name === 'policies') continue
    const option = `the option ${name.slice(0, 60)} of certificates`
    report.lost(
      location,
      name === 'on_demand' ? 'who is asked before a certificate is made on demand; that is a setting here' : option,
    )
  }
  for (const policy of itemsOf(at(automation, 'policies'))) {
    if ((textsOf(at(policy, 'subjects')) ?? []).length > 0) continue
    for (const [name, location] of membersOf(policy))
      if (name !== 'issuers' && name !== '@id') report.lost(location, 'how certificates of all sites are got')
  }
}

/** Certificates that a policy chooses are read with their sites. */
function readCertificates(certificates: JsonLocation, report: ImportReport): void {
  for (const [name, location] of membersOf(certificates)) {
    if (name === 'load_pem') continue
    if (name === 'automate') report.lost(location, 'names that certificates are got for without a site')
    else if (name !== 'load_files') report.lost(location, 'certificates from elsewhere')
    else
      for (const file of itemsOf(location))
        report.lost(
          file,
          `the certificate in ${(textOf(at(file, 'certificate')) ?? 'a file').slice(0, 200)}; upload it`,
        )
  }
}

function emailOf(tls: JsonLocation): string | undefined {
  for (const policy of itemsOf(at(tls, 'automation', 'policies')))
    for (const issuer of itemsOf(at(policy, 'issuers'))) {
      const email = textOf(at(issuer, 'email'))
      if (email !== undefined && email.length <= 254 && !/[{}\s]/.test(email)) return email
    }
  return undefined
}
