import type { ImportReport } from './import-report.ts'
import { at, itemsOf, membersOf, reach, textOf, textsOf, type Place } from './json-place.ts'

/** Accounts for what belongs to no single site: other apps, loggers, certificates nobody chose, and the like. */
export function readOtherParts(root: Place, report: ImportReport, isOurs: boolean): { acmeEmail?: string } {
  for (const [name, place] of membersOf(root)) {
    if (name === 'apps' || name === 'admin' || name === '@id') continue
    if (name === 'logging') readLogging(place, report)
    else if (name === 'storage')
      report.add('lost', place.path, { what: 'where Caddy stores certificates; the node says that here' })
    else report.add('lost', place.path, { what: `the part ${name.slice(0, 60)} of the configuration` })
  }
  for (const [name, place] of membersOf(at(root, 'apps'))) {
    if (name === 'http') readHttpOptions(place, report)
    else if (name === 'pki') readAuthorities(place, report)
    else if (name !== 'tls') report.add('left_out', place.path, { what: `the app ${name.slice(0, 60)}` })
  }
  const tls = reach(root, 'apps', 'tls')
  if (tls === undefined) return {}
  // What the settings say is in every configuration of ours.
  if (!isOurs) readTlsOptions(tls, report)
  const email = emailOf(tls)
  return email === undefined ? {} : { acmeEmail: email }
}

const httpHarmless = new Set(['servers', 'http_port', 'https_port', 'grace_period', 'shutdown_delay'])

function readHttpOptions(http: Place, report: ImportReport): void {
  for (const [name, place] of membersOf(http))
    if (!httpHarmless.has(name))
      report.add('lost', place.path, { what: `the option ${name.slice(0, 60)} of all servers` })
}

/** Loggers of ours go by the names that the compiler gives. */
function readLogging(logging: Place, report: ImportReport): void {
  for (const [name, place] of membersOf(at(logging, 'logs'))) {
    const isOurs = name === 'access' || /^site-\d+$/.test(name)
    if (!isOurs && !(name === 'default' && isOwnLog(place)))
      report.add('lost', place.path, { what: `the log ${name.slice(0, 60)}; sites have one access log here` })
  }
  for (const [name, place] of membersOf(logging))
    if (name !== 'logs') report.add('lost', place.path, { what: `the option ${name.slice(0, 60)} of logging` })
}

/** Caddy's log of itself as the compiler writes it: without anything of its own, or in a file of that name. */
function isOwnLog(log: Place): boolean {
  const members = membersOf(log).map(([member]) => member)
  if (members.every((member) => member === 'exclude')) return true
  const file = textOf(reach(log, 'writer', 'filename'))
  return (
    file?.endsWith('/caddy.log') === true &&
    members.every((member) => ['exclude', 'writer', 'encoder'].includes(member))
  )
}

function readAuthorities(pki: Place, report: ImportReport): void {
  for (const [name, place] of membersOf(at(pki, 'certificate_authorities')))
    if (name !== 'local' || membersOf(place).some(([member]) => member !== 'install_trust'))
      report.add('lost', place.path, { what: `the internal authority ${name.slice(0, 60)}` })
}

function readTlsOptions(tls: Place, report: ImportReport): void {
  for (const [name, place] of membersOf(tls)) {
    if (name === 'automation') readAutomation(place, report)
    else if (name === 'certificates') readCertificates(place, report)
    else report.add('lost', place.path, { what: `the option ${name.slice(0, 60)} of TLS` })
  }
}

function readAutomation(automation: Place, report: ImportReport): void {
  for (const [name, place] of membersOf(automation)) {
    if (name === 'policies') continue
    const what =
      name === 'on_demand'
        ? 'who is asked before a certificate is made on demand; that is a setting here'
        : `the option ${name.slice(0, 60)} of certificates`
    report.add('lost', place.path, { what })
  }
  for (const policy of itemsOf(at(automation, 'policies'))) {
    if ((textsOf(at(policy, 'subjects')) ?? []).length > 0) continue
    for (const [name, place] of membersOf(policy))
      if (name !== 'issuers' && name !== '@id')
        report.add('lost', place.path, { what: 'how certificates of all sites are got' })
  }
}

/** Certificates that a policy chooses are read with their sites. */
function readCertificates(certificates: Place, report: ImportReport): void {
  for (const [name, place] of membersOf(certificates)) {
    if (name === 'load_pem') continue
    if (name === 'automate')
      report.add('lost', place.path, { what: 'names that certificates are got for without a site' })
    else if (name !== 'load_files') report.add('lost', place.path, { what: 'certificates from elsewhere' })
    else
      for (const file of itemsOf(place))
        report.add('lost', file.path, {
          what: `the certificate in ${(textOf(at(file, 'certificate')) ?? 'a file').slice(0, 200)}; upload it`,
        })
  }
}

function emailOf(tls: Place): string | undefined {
  for (const policy of itemsOf(reach(tls, 'automation', 'policies')))
    for (const issuer of itemsOf(at(policy, 'issuers'))) {
      const email = textOf(at(issuer, 'email'))
      if (email !== undefined && email.length <= 254 && !/[{}\s]/.test(email)) return email
    }
  return undefined
}
