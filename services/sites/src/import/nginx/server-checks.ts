import type { Directive } from './nginx-directives.ts'

/** Directives that decide who may come, or change what is asked and answered. A site that had one is switched off. */
const decisive =
  /^(auth_.*|satisfy|if|rewrite|internal|error_page|mirror|valid_referers|secure_link.*|(?!(init|log|exit|balancer)_)\w+_by_.*|js_.*|modsecurity.*|geoip.*|sec_?rules_?enabled|ssl_verify_client|limit_except|perl)$/i
/** Directives that a site does without, and that are worth a word. */
const missed =
  /^(limit_(req|conn|rate).*|sub_filter.*|proxy_(cache|redirect|cookie|next_upstream).*|expires|gzip_types)$/
/** Files whose name says that they decide who may come. */
const decisiveFile =
  /auth|verify|client|allow|deny|block|geo|acl|login|vouch|restrict|internal|private|protect|guard|mutual|mtls|crowdsec|modsec|(?<![a-z])(sso|lan|waf|oidc|vpn|ban)(?![a-z])/i
/** Files that say nothing about who may come. */
const harmlessFile =
  /(?<![a-z])(ssl|tls|dhparams?|proxy|resolvers?|params|mime|headers?|gzip|brotli|websockets?|cache|logs?)(?![a-z])[^/]*$/i
/** Files outside of servers that no site needs. */
const needlessFile = /(^|\/)(mime\.types|modules(-enabled)?\/[^/]*|worker_processes\.conf)$/
/** Files outside of servers that hold further servers. */
const serverFiles = /(^|\/)(conf\.d|http\.d|sites-enabled|site-confs|vhosts(\.d)?)\/[^/]*\*[^/]*$/

/** Where a check says what a site goes without, and why it would stand more open than before. */
export interface CheckNotes {
  readonly lost: (what: string) => void
  readonly unsafe: (what: string) => void
}

/** Looks at every directive of a server but for the locations that become paths. */
export function checkAll(block: readonly Directive[], { lost, unsafe }: CheckNotes): void {
  for (const { name, words, block: inner } of block) {
    const [file = ''] = words
    if (name === 'location' && words.length === 1 && words[0] === '/') {
      checkAll(inner ?? [], { lost, unsafe })
      if (inner?.some((one) => /^(deny|allow|location)$/.test(one.name)))
        unsafe('the location / asks something of visitors')
    } else if ((name === 'auth_basic' || name === 'ssl_verify_client') && words[0] === 'off') continue
    else if (name === 'include') {
      const what = `the file ${file.slice(0, 150)}, which is not read`
      if (harmlessFile.test(file) && !decisiveFile.test(file)) lost(what)
      else unsafe(what)
    } else if (decisive.test(name)) unsafe(`${name} ${words.join(' ')}`.slice(0, 150))
    else if (missed.test(name)) lost(`${name} ${words.join(' ')}`.slice(0, 150))
  }
}

/** What a location that becomes a path, or none, asks of visitors, and what it goes without. */
export function checkLocation(inner: readonly Directive[]): { readonly asks: string[]; readonly lost: string[] } {
  const lost: string[] = []
  // A location in a location may ask for something, too.
  const asks = inner.flatMap(({ name, words }) =>
    /^(deny|allow|location)$/.test(name) ? [`${name} ${words.join(' ')}`.slice(0, 150)] : [],
  )
  checkAll(inner, { lost: (what) => lost.push(what), unsafe: (what) => asks.push(what) })
  return { asks, lost }
}

/** True for directives that take the address of a visitor from a header or another proxy. */
export const findsVisitors = (directives: readonly Directive[]): boolean =>
  directives.some(({ name }) => name === 'real_ip_header' || name === 'set_real_ip_from')

/** What stands outside of servers and holds for each of them. */
export class OuterDirectives {
  /** By the name of the directive, why a site would stand more open than before. */
  readonly #reasons = new Map<string, string>()
  /** True where addresses of visitors come from a header. */
  readonly findsVisitors: boolean

  /** Notes what all sites go without, with the directive that says it. */
  constructor(directives: readonly Directive[], lost: (directive: Directive, what: string) => void) {
    this.findsVisitors = findsVisitors(directives)
    for (const directive of directives) {
      const { name, words } = directive
      const unsafe = (what: string) => {
        if (name === 'include') lost(directive, what)
        if (!this.#reasons.has(name)) this.#reasons.set(name, `outside of servers: ${what}`)
      }
      if (name === 'include' && needlessFile.test(words[0] ?? '')) continue
      if (name === 'include' && serverFiles.test(words[0] ?? ''))
        lost(directive, `the files ${words[0]?.slice(0, 150)}, which are not read`)
      else if (name === 'deny' || name === 'allow') unsafe(`${name} ${words[0]?.slice(0, 100) ?? ''}`)
      else if (name !== 'location') checkAll([directive], { lost: (what) => lost(directive, what), unsafe })
    }
  }

  /** Why a site of this server would stand more open than before; a server that says the same thing itself inherits nothing. */
  reasonsFor(block: readonly Directive[]): string[] {
    const own = new Set(block.map(({ name }) => name))
    const isOwn = (name: string) => {
      if (name === 'include') return false
      if (name === 'allow' || name === 'deny') return own.has('allow') || own.has('deny')
      return own.has(name) || (name === 'auth_basic_user_file' && own.has('auth_basic'))
    }
    return Array.from(this.#reasons).flatMap(([name, reason]) => (isOwn(name) ? [] : [reason]))
  }
}
