import { wildcardOver } from '../sites/domains.ts'
import type { CompiledSite, NodeProfile } from './desired-state.ts'

const accessLogger = 'http.log.access'
const off = 'off'

/**
 * Access logs. All sites write to one file (`node.logFile`), one line of JSON a request, and each line says whose it is: its
 * member `logger` is `http.log.access.site-<id>`, or `http.log.access.strangers` for hosts of no site. Caddy compares hosts there
 * as they were sent, so a host in capitals is unknown too: `siteOfLine` reads both. A site may have a file of its own beside
 * it, `site-<id>.log`.
 */
export function accessLogs(sites: readonly CompiledSite[], node: NodeProfile): { server?: object; logging?: object } {
  const ownFiles = sites.flatMap((site) => {
    const name = siteLoggerOf(site)
    const wantsFile = node.siteLogDirectory !== undefined && name !== off && site.record.log.own_file
    if (!wantsFile) return []
    const filename = `${node.siteLogDirectory}/${name}.log`
    return [[name, { ...jsonFile(filename, node), include: [`${accessLogger}.${name}`] }]]
  })
  if (node.logFile === undefined && ownFiles.length === 0) return {}
  const all = {
    ...(node.logFile !== undefined && {
      access: { ...jsonFile(node.logFile, node), include: [accessLogger], exclude: [`${accessLogger}.${off}`] },
    }),
  }
  const name = (logger: string) => (node.capabilities.loggerNameLists ? [logger] : logger)
  const names = sites.flatMap((site) =>
    site.record.domains.map((domain) => [domain, name(siteLoggerOf(site))] as const),
  )
  return {
    server: { logs: { default_logger_name: 'strangers', logger_names: Object.fromEntries(names) } },
    logging: { logs: { default: ownLog(node), ...all, ...Object.fromEntries(ownFiles) } },
  }
}

/** Returns the configuration of Caddy's own log. Visitors make it long, so with a directory for logs it is a file that is rolled. */
function ownLog(node: NodeProfile): object {
  const { siteLogDirectory: directory } = node
  return { ...(directory !== undefined && jsonFile(`${directory}/caddy.log`, node)), exclude: [accessLogger] }
}

function siteLoggerOf({ id, record }: CompiledSite): string {
  return record.log.enabled ? `site-${id}` : off
}

/** The members of a line of the access log that say whose it is. */
export interface LoggedHost {
  readonly logger: string
  /** `request.host` */
  readonly host: string
}

/** The site a line of the access log belongs to; undefined for unknown hosts. `domains` as in the positions of the configuration. */
export function siteOfLine({ logger, host }: LoggedHost, domains: ReadonlyMap<string, number>): number | undefined {
  const id = /^http\.log\.access\.site-(\d{1,15})$/.exec(logger)?.[1]
  if (id !== undefined) return Number(id)
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
  return domains.get(name) ?? domains.get(wildcardOver(name) ?? '')
}

function jsonFile(filename: string, { capabilities }: NodeProfile): object {
  return {
    writer: {
      output: 'file',
      filename,
      roll_size_mb: 50,
      roll_keep: 5,
      ...(capabilities.logFileMode && { mode: '0640' }),
    },
    encoder: { format: 'json' },
  }
}
