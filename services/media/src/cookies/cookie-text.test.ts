import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Platform } from '../platforms/schema.ts'
import { CookieError, makeCookie, type Cookie, type CookieErrorCode } from './cookie.ts'
import { decodeCookieFile, readCookieText, requireLogin } from './cookie-text.ts'
import { describeJar } from './platform-cookies.ts'
import { encodeNetscape, parseNetscape } from './netscape-text.ts'

const secret = 'SECRETVALUE'

/** The fault of an attempt; its message must not contain a value. */
function faultOf(attempt: () => unknown): CookieErrorCode | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    assert(error instanceof CookieError, String(error))
    assert(!`${error.message} ${String(error.cause)}`.includes(secret), error.message)
    return error.fault
  }
}

const pairsIn = (text: string, platform: Platform = 'youtube') =>
  readCookieText(text, platform).map(({ name, value, domain }) => `${domain} ${name}=${value}`)

test('a cookie file is parsed with all its fields', () => {
  const text = `# Netscape HTTP Cookie File
# a comment

.youtube.com\tTRUE\t/\tTRUE\t1893456000\tLOGIN_INFO\tAFmm:x=y
#HttpOnly_.youtube.com\tTRUE\t/a\tTRUE\t0\tSID\tabc
www.youtube.com\tFALSE\t/\tFALSE\t1893456000.75\thost\t
.google.com\tTRUE\t/\tTRUE\t1893456000\tNID\tn
.example.org\tTRUE\t/\tTRUE\t1893456000\tother\t${secret}
broken line
`
  const cookies = readCookieText(text.replaceAll('\n', '\r\n'), 'youtube')
  assert.deepEqual(cookies, [
    {
      domain: 'youtube.com',
      includeSubdomains: true,
      path: '/',
      secure: true,
      httpOnly: false,
      expires: 1893456000,
      name: 'LOGIN_INFO',
      value: 'AFmm:x=y',
    },
    {
      domain: 'youtube.com',
      includeSubdomains: true,
      path: '/a',
      secure: true,
      httpOnly: true,
      expires: null,
      name: 'SID',
      value: 'abc',
    },
    {
      domain: 'www.youtube.com',
      includeSubdomains: false,
      path: '/',
      secure: false,
      httpOnly: false,
      expires: 1893456000,
      name: 'host',
      value: '',
    },
    {
      domain: 'google.com',
      includeSubdomains: true,
      path: '/',
      secure: true,
      httpOnly: false,
      expires: 1893456000,
      name: 'NID',
      value: 'n',
    },
  ])
  const withBlanks = '.youtube.com  TRUE  /  TRUE  1893456000  SID  abc\n.youtube.com TRUE / TRUE 0 empty'
  assert.deepEqual(pairsIn(withBlanks), ['youtube.com SID=abc', 'youtube.com empty='])
})

const pairs = ['youtube.com SID=a.b-c_d', 'youtube.com LOGIN_INFO=AFmm:QQ==', 'youtube.com odd=it\'s "50%" & $5!']
const header = pairs.map((pair) => pair.split(' ').slice(1).join(' ')).join('; ')

test('every browser format of a copied request gives the same cookies', () => {
  const bash = header.replaceAll("'", String.raw`\'`)
  const cmd = header
    .replaceAll('"', String.raw`\"`)
    .replaceAll(/[^\w\s\-:=+~'/.,?;()*`]/g, '^$&')
    .replaceAll(/%(?=\w)/g, '%^')
  const shell = (text: string) => `"${text.replaceAll(/[`$"]/g, '`$&').replaceAll('!', '$([char]33)')}"`
  const added = pairs.map((pair) => {
    const [, name = '', value = ''] = /^\S+ ([^=]+)=(.*)$/.exec(pair) ?? []
    return `$session.Cookies.Add((New-Object System.Net.Cookie(${shell(name)}, ${shell(value)}, "/", ".youtube.com")))`
  })
  const request = { credentials: 'include', headers: { accept: '*/*', cookie: header }, body: '{"cookie": "no"}' }
  const texts = {
    header,
    named: `Cookie: ${header}`,
    lines: `GET /x HTTP/2\nHost: www.youtube.com\nAccept: */*\nCookie: ${header}\nDNT: 1`,
    bash: `curl 'https://www.youtube.com/feed?x=1' \\\n  -H 'accept: */*' \\\n  -H $'cookie: ${bash}' \\\n  --data-raw '{"a":"https://example.org/"}' \\\n  --compressed`,
    bashOption: `curl -X POST "https://www.youtube.com/" -b $'${bash}' -H "referer: https://example.org/"`,
    unicode: `curl 'https://www.youtube.com/' -b $'${bash.replaceAll('!', String.raw`\u0021`).replaceAll('&', String.raw`\x26`)}'`,
    cmd: `curl ^"https://www.youtube.com/feed?x=1^&y=2^" ^\r\n  -H ^"accept: */*^" ^\r\n  -b ^"${cmd}^" ^\r\n  --compressed`,
    fetch: `fetch("https://www.youtube.com/", ${JSON.stringify(request, null, 2)});`,
    awaited: `await fetch("https://www.youtube.com/", ${JSON.stringify(request)});`,
    powerShell: `$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession\n${added.join('\n')}\nInvoke-WebRequest -UseBasicParsing -Uri "https://www.youtube.com/" \`\n-WebSession $session`,
    powerShellHeader: `Invoke-WebRequest -Uri "https://www.youtube.com/" -Headers @{\n"accept"="*/*"\n  "cookie"=${shell(header)}\n}`,
  }
  for (const [form, text] of Object.entries(texts)) assert.deepEqual(pairsIn(text), pairs, `${form}\n${text}`)
})

test('a cookie from a header is a secure session cookie for all hosts of the platform', () => {
  const [cookie] = readCookieText('sessionid=x', 'instagram')
  assert.deepEqual(cookie, {
    domain: 'instagram.com',
    includeSubdomains: true,
    path: '/',
    secure: true,
    httpOnly: false,
    expires: null,
    name: 'sessionid',
    value: 'x',
  })
  assert.deepEqual(pairsIn("curl 'https://accounts.google.com/' -b 'NID=x'"), ['google.com NID=x'])
})

test('JSON exports of extensions and drivers are parsed', () => {
  const exported = [
    {
      domain: '.YouTube.com',
      expirationDate: 1893456000.5,
      hostOnly: false,
      httpOnly: true,
      name: 'SID',
      path: '/',
      sameSite: 'lax',
      secure: true,
      session: false,
      storeId: '0',
      value: 'a',
    },
    { name: 'milliseconds', value: 'b', domain: 'www.youtube.com', hostOnly: true, expiry: 1893456000500 },
    { name: 'session', value: 'c', domain: '.youtube.com', expires: -1 },
    { name: 'text', value: 'd', expires: '2030-01-01T00:00:00.000Z' },
    { name: 'foreign', value: secret, domain: 'notyoutube.com' },
    { name: 7 },
    null,
  ]
  const expected = [
    ['youtube.com', true, true, 1893456000, 'SID'],
    ['www.youtube.com', false, false, 1893456000, 'milliseconds'],
    ['youtube.com', true, false, null, 'session'],
    ['youtube.com', true, false, 1893456000, 'text'],
  ]
  for (const text of [JSON.stringify(exported), JSON.stringify({ cookies: exported, origins: [] })]) {
    const cookies = readCookieText(text, 'youtube')
    assert.deepEqual(
      cookies.map(({ domain, includeSubdomains, httpOnly, expires, name }) => [
        domain,
        includeSubdomains,
        httpOnly,
        expires,
        name,
      ]),
      expected,
    )
  }
})

test('of two cookies with the same name and scope the newest is kept', () => {
  assert.deepEqual(pairsIn('SID=old; SID=new'), ['youtube.com SID=new'])
})

test('unusable text is refused with a reason that contains no values', () => {
  const line = (domain: string, value = secret) => `${domain}\tTRUE\t/\tTRUE\t0\tname\t${value}\n`
  const refusals: [CookieErrorCode, string[]][] = [
    ['empty', ['', ' \n\t', '\uFEFF']],
    ['too-large', [line('.youtube.com').repeat(10_000)]],
    [
      'unreadable',
      [
        'hello world',
        `{"name": "${secret}"}`,
        `[{"name": "SID", "value": "${secret}"`,
        '[]',
        `["${secret}"]`,
        '# Netscape HTTP Cookie File\n',
        `# Netscape HTTP Cookie File\nno cookie ${secret}`,
        line('.youtube.com', 'x'.repeat(8200)),
        Array.from({ length: 513 }, (_, index) => `c${index}=${secret}`).join('; '),
        `curl -b 'SID=${secret}'`,
        `curl 'https://www.youtube.com/' -b 'SID=${secret}`,
        "curl 'https://www.youtube.com/' -H 'accept: */*'",
        `curl 'https://[${secret}/' -b 'SID=${secret}'`,
        `fetch(url, { "headers": { "cookie": "SID=${secret}" } })`,
        `fetch("https://www.youtube.com/", { "headers": { "cookie": "SID=\\x${secret}" } })`,
        '<html><body>not signed in</body></html>',
        `SID="${secret}\u0000"`,
      ],
    ],
    [
      'foreign-host',
      [
        line('.example.org'),
        line('.notyoutube.com'),
        line('.youtube.com.example.org'),
        `curl 'https://example.org/' -b 'SID=${secret}'`,
        `curl 'https://www.youtube.com/' -b 'SID=${secret}' ;\ncurl 'https://example.org/' -b 'SID=${secret}'`,
        `fetch("https://example.org/", { "headers": { "cookie": "SID=${secret}" } })`,
        `Invoke-WebRequest -Uri "https://example.org/" -Headers @{ "cookie"="SID=${secret}" }`,
        `Host: example.org\nCookie: SID=${secret}`,
        JSON.stringify([{ name: 'SID', value: secret, domain: '.example.org' }]),
      ],
    ],
  ]
  for (const [fault, texts] of refusals)
    for (const text of texts)
      assert.equal(
        faultOf(() => readCookieText(text, 'youtube')),
        fault,
        text.slice(0, 200),
      )
  assert.equal(
    faultOf(() => decodeCookieFile(new Uint8Array(256 * 1024 + 1))),
    'too-large',
  )
  assert.equal(
    faultOf(() => decodeCookieFile(new Uint8Array([0x63, 0xff]))),
    'not-utf8',
  )
  assert.equal(decodeCookieFile(Buffer.from('\uFEFFa=b')).at(-1), 'b')
})

test('any text is either parsed or refused, with no other error', () => {
  const bits = fc.constantFrom(
    'curl ',
    'fetch(',
    '"',
    "'",
    '$',
    '\\',
    '^',
    '{',
    '[',
    '\t',
    '\n',
    'cookie: ',
    'a=b',
    '; ',
    'https://www.youtube.com/',
    '-b ',
    '-Uri ',
    'Invoke-WebRequest ',
    'System.Net.Cookie(',
    '#HttpOnly_',
    '.youtube.com\tTRUE\t/\tTRUE\t0\t',
  )
  const texts = fc.array(fc.oneof(bits, fc.string({ maxLength: 4 })), { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom(...Platform.options),
      (text, platform) => void faultOf(() => readCookieText(text, platform)),
    ),
    { numRuns: 2000 },
  )
})

/** Cookies as they can be kept. */
const cookie: fc.Arbitrary<Cookie> = fc
  .record({
    name: fc.stringMatching(/^[\w.!#$%&'*+^`|~-]{1,20}$/),
    value: fc.stringMatching(/^[ -:<-~]{0,40}$/).map((value) => value.trim()),
    domain: fc.stringMatching(/^[a-z\d]{1,8}\.(?:youtube|google)\.com$/),
    path: fc.stringMatching(/^\/[!-~]{0,12}$/),
    secure: fc.boolean(),
    httpOnly: fc.boolean(),
    hostOnly: fc.boolean(),
    expires: fc.nat(4_000_000_000),
  })
  .map((draft) => makeCookie(draft))
  .filter((made) => made !== undefined)

test('a written jar reads back unchanged', () => {
  fc.assert(
    fc.property(fc.array(cookie, { minLength: 1, maxLength: 8 }), (cookies) => {
      assert.deepEqual(parseNetscape(encodeNetscape(cookies)), cookies)
    }),
  )
})

test('no cookie can break out of its line', () => {
  const rough = fc.record({
    name: fc.string(),
    value: fc.string({ unit: 'binary' }),
    domain: fc.constantFrom('youtube.com', 'a\tb.com', 'x\ny.com'),
    path: fc.string(),
  })
  fc.assert(
    fc.property(rough, (draft) => {
      const made = makeCookie(draft)
      if (made !== undefined) assert.deepEqual(parseNetscape(encodeNetscape([made])), [made])
    }),
  )
})

const now = Date.UTC(2027, 0, 1)
const later = now / 1000 + 86_400
const earlier = now / 1000 - 1
const jarOf = (domain: string, cookies: Record<string, number>) =>
  Object.entries(cookies).flatMap(([name, expires]) => makeCookie({ name, value: 'v', domain, expires }) ?? [])

test('a jar is valid only with all login cookies of its platform', () => {
  const complete: Record<Platform, [string, string[]][]> = {
    youtube: ['SAPISID', '__Secure-1PAPISID', '__Secure-3PAPISID'].map((name) => ['youtube.com', ['LOGIN_INFO', name]]),
    tiktok: [['tiktok.com', ['sid_tt']]],
    instagram: [['www.instagram.com', ['sessionid']]],
    facebook: [['facebook.com', ['c_user', 'xs']]],
  }
  for (const platform of Platform.options)
    for (const [domain, names] of complete[platform]) {
      const cookies = jarOf(domain, Object.fromEntries(names.map((name) => [name, later])))
      const described = describeJar(platform, { cookies, updatedAt: now - 500 }, now)
      assert.deepEqual(described, {
        platform,
        filename: `${platform}.txt`,
        present: true,
        status: 'valid',
        authenticated: true,
        cookie_count: names.length,
        matching_domain_count: names.length,
        expires_at: later,
        updated_at: Math.floor((now - 500) / 1000),
        domains: [domain],
        missing_login_cookies: [],
        detail: 'Signed in.',
      })
      requireLogin(platform, cookies)
      for (const name of names) {
        const others = cookies.filter((cookie) => cookie.name !== name)
        const {
          status,
          authenticated,
          missing_login_cookies: missing,
        } = describeJar(platform, { cookies: others, updatedAt: now }, now)
        assert.deepEqual([status, authenticated], ['invalid', false])
        assert.match(missing.join(), new RegExp(name))
        assert.equal(
          faultOf(() => requireLogin(platform, others)),
          'no-login-cookies',
        )
      }
    }
})

test('a jar is expired once a required login cookie is', () => {
  const status = (cookies: Cookie[]) => {
    const { status, expires_at: expiresAt } = describeJar('youtube', { cookies, updatedAt: now }, now)
    return [status, expiresAt]
  }
  const youtube = (cookies: Record<string, number>) => jarOf('youtube.com', cookies)
  assert.deepEqual(status(youtube({ LOGIN_INFO: earlier, SAPISID: later })), ['expired', earlier])
  assert.deepEqual(status(youtube({ LOGIN_INFO: later, SAPISID: earlier, '__Secure-3PAPISID': later })), [
    'valid',
    later,
  ])
  assert.deepEqual(status(youtube({ LOGIN_INFO: 0, SAPISID: 0, short: earlier })), ['valid', null])
  const elsewhere = jarOf('google.com', { SAPISID: later })
  assert.deepEqual(status([...youtube({ LOGIN_INFO: later }), ...elsewhere]), ['invalid', later])
})

test('a missing jar and a broken one are distinguished', () => {
  const missing = describeJar('tiktok', undefined, now)
  assert.deepEqual([missing.present, missing.status, missing.updated_at], [false, 'missing', null])
  const broken = describeJar('tiktok', { cookies: undefined, updatedAt: now }, now)
  assert.deepEqual([broken.present, broken.status, broken.cookie_count], [true, 'invalid', 0])
})

test('a cookie with an impossible expiry date becomes a session cookie', () => {
  const expiryOf = (expires: string) =>
    readCookieText(JSON.stringify([{ name: 'sessionid', value: 'x', expires }]), 'instagram')[0]?.expires
  assert.equal(expiryOf('2031-02-28T12:00:00Z'), Date.UTC(2031, 1, 28, 12) / 1000)
  assert.equal(expiryOf('Fri, 28 Feb 2031 12:00:00 GMT'), Date.UTC(2031, 1, 28, 12) / 1000)
  assert.equal(expiryOf('2031-02-30T12:00:00Z'), null)
})
