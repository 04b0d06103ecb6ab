import { z } from 'zod'
import { CookieError, type CookieDraft } from './cookie.ts'
import { splitCommandLine } from './shell-words.ts'

/** A cookie of a copied request; without a domain when only the host of the request says where it belongs. */
type CopiedCookie = Pick<CookieDraft, 'name' | 'value'> & { readonly domain?: string | undefined }

/** A copied request: the hosts it was sent to and the cookies it carried. */
interface CopiedRequest {
  readonly hosts: readonly string[]
  readonly cookies: readonly CopiedCookie[]
}

/** Reads a request that a browser's developer tools copied; undefined when the text is none of the forms they write. */
export function readCopiedRequest(text: string): CopiedRequest | undefined {
  if (/^curl(?:\.exe)?\s/i.test(text)) return ofCommand(splitCommandLine(text))
  if (/^(?:await\s+)?fetch\s*\(/.test(text)) return ofFetch(text)
  if (/\bInvoke-WebRequest\b|\bSystem\.Net\.Cookie\(/i.test(text)) return ofPowerShell(text)
  return ofHeaderLines(text)
}

function pairsOf(header: string): CopiedCookie[] {
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=')
    return at < 1 ? [] : [{ name: part.slice(0, at).trim(), value: part.slice(at + 1).trim() }]
  })
}

/** Options of curl whose next argument is a value, as far as browsers write them or people add them. */
const withValue = new Set(
  '-X --request -d --data --data-raw --data-binary --data-urlencode --data-ascii --json -A --user-agent -e --referer -u --user -o --output -x --proxy -F --form -m --max-time --connect-timeout --resolve --cacert -w --write-out'.split(
    ' ',
  ),
)

function ofCommand(args: readonly string[]): CopiedRequest {
  const hosts: string[] = []
  const headers: string[] = []
  const rest = args.values()
  for (const arg of rest) {
    const option = /^-[HbX](?=.)/.exec(arg)?.[0]
    const value = () => (option === undefined ? (rest.next().value ?? '') : arg.slice(2))
    const name = option ?? arg
    if (name === '-H' || name === '--header') headers.push(/^cookie:(.*)$/is.exec(value())?.[1] ?? '')
    else if (name === '-b' || name === '--cookie') headers.push(value().replace(/^cookie:/i, ''))
    else if (name === '--url') hosts.push(hostOf(value()))
    else if (withValue.has(name)) value()
    else if (/^https?:\/\//i.test(arg)) hosts.push(hostOf(arg))
  }
  if (hosts.length === 0) throw new CookieError('unreadable', 'the curl command has no address')
  return { hosts, cookies: headers.flatMap(pairsOf) }
}

const jsonText = '("(?:[^"\\\\]|\\\\.)*")'

function ofFetch(text: string): CopiedRequest {
  const url = new RegExp(`\\(\\s*${jsonText}`).exec(text)?.[1]
  const header = new RegExp(`"cookie"\\s*:\\s*${jsonText}`, 'i').exec(text)?.[1]
  if (url === undefined) throw new CookieError('unreadable', 'the fetch call has no address')
  return { hosts: [hostOf(readJsonText(url))], cookies: header === undefined ? [] : pairsOf(readJsonText(header)) }
}

function readJsonText(text: string): string {
  try {
    return z.string().parse(JSON.parse(text))
  } catch (cause) {
    throw new CookieError('unreadable', 'the fetch call cannot be read', { cause })
  }
}

const shellText = '"((?:[^"`]|`[\\s\\S]|"")*)"'

function ofPowerShell(text: string): CopiedRequest {
  const [name, value, path, domain] = [shellText, shellText, shellText, shellText]
  const entry = new RegExp(
    `System\\.Net\\.Cookie\\(\\s*${name}\\s*,\\s*${value}(?:\\s*,\\s*${path}(?:\\s*,\\s*${domain})?)?`,
    'gi',
  )
  const cookies = [...text.matchAll(entry)].map(([, name = '', value = '', , domain]) => ({
    name: unescapeShell(name),
    value: unescapeShell(value),
    domain: domain === undefined ? undefined : unescapeShell(domain),
  }))
  const url = new RegExp(`-Uri\\s+${shellText}`, 'i').exec(text)?.[1]
  const header = new RegExp(`"cookie"\\s*=\\s*${shellText}`, 'i').exec(text)?.[1]
  return {
    hosts: url === undefined ? [] : [hostOf(unescapeShell(url))],
    cookies: [...cookies, ...pairsOf(unescapeShell(header ?? ''))],
  }
}

function unescapeShell(text: string): string {
  return text
    .replaceAll(/\$\(\[char\](\d{1,5})\)/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/`([\s\S])|""/g, (_, escaped: string | undefined) => escaped ?? '"')
}

/** A `Cookie` line alone, among other header lines, or only its value. */
function ofHeaderLines(text: string): CopiedRequest | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const valueOf = (name: RegExp) => lines.flatMap((line) => name.exec(line)?.[1] ?? [])
  const headers = valueOf(/^cookie:\s*(.*)$/i)
  const hosts = valueOf(/^(?:host|:authority):\s*(.*)$/i).map((host) => host.replace(/:\d+$/, ''))
  if (headers.length > 0) return { hosts, cookies: headers.flatMap(pairsOf) }
  const isPairs = lines.length === 1 && text.split(';').every((part) => /^\s*(?:[^\s=;,"]+=[^;]*)?$/.test(part))
  return isPairs ? { hosts: [], cookies: pairsOf(text) } : undefined
}

function hostOf(text: string): string {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw new CookieError('unreadable', 'the address of the copied request cannot be read')
  return url.hostname
}
