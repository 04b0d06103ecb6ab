import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { escapeMarkup } from '@hearth/http'
import { clockText } from '../jobs/job-view.ts'

/** A file as the page of a link shows it. */
export interface OfferedFile {
  /** Names it in addresses below the page's own. */
  readonly position: number
  readonly title: string
  /** Name the file is saved under. */
  readonly fileName: string
  readonly type: 'audio' | 'video'
  /** Null while it is not known. */
  readonly sizeBytes: number | null
  readonly durationMs: number | null
  /** True if browsers play the file. */
  readonly isPlayable: boolean
  readonly hasPicture: boolean
}

/** Content of a link's page. */
export interface Offer {
  /** Title of the page; null for that of the only file. */
  readonly name: string | null
  readonly token: string
  readonly files: readonly OfferedFile[]
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null
  /** Beginning of addresses for previews in messages, such as `https://media.example.org`; undefined for no preview. */
  readonly previewBase: string | undefined
}

/** Creates the pages of links: complete in themselves, with nothing of the rest of the service. */
export function createSharePages() {
  const style = readFileSync(new URL('share-page.css', import.meta.url), 'utf8')
  const script = readFileSync(new URL('share-page.js', import.meta.url), 'utf8')
  const page = ({ title, icon = 'data:,', head = '', content, isActive = false }: PageParts) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeMarkup(title)}</title>
<link rel="icon" href="${escapeMarkup(icon)}">
${head}<style>${style}</style>
<main>
${content}
</main>
${isActive ? `<script type="module">${script}</script>\n` : ''}</html>
`
  return {
    offer: (offer: Offer): string => page(offerParts(offer)),
    /** The page that asks for the password; after a wrong one, or while the visitor must wait so many seconds. */
    password: (token: string, problem?: 'wrong' | number): string =>
      page({ title: 'Password needed', content: passwordContent(token, problem) }),
    /** The page of every invalid link. */
    nothing: page({
      title: 'Nothing here',
      content:
        '<h1>There is nothing here</h1>\n<p>The link is wrong, has ended, was used up or taken back, or its file cannot be had right now. Try again later, or ask whoever sent it for a new one.</p>',
    }),
    /** The policy they are sent with: their own style and script, and what lies below their address. */
    policy: [
      "default-src 'none'",
      `style-src ${hashSource(style)}`,
      `script-src ${hashSource(script)}`,
      "media-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

interface PageParts {
  readonly title: string
  readonly icon?: string
  readonly head?: string
  readonly content: string
  /** True for a page with players. */
  readonly isActive?: boolean
}

const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function offerParts({ name, token, files, expiresAt, previewBase }: Offer): PageParts {
  const [first] = files
  const isAlone = files.length === 1
  const title = name ?? (isAlone ? (first?.title ?? '') : `${files.length} files`)
  const end = expiresAt === null ? [] : [`available until ${new Date(expiresAt).toISOString().slice(0, 10)}`]
  const picture = files.find(({ hasPicture }) => hasPicture)
  const icon = picture === undefined ? {} : { icon: `${token}/${picture.position}.jpg` }
  const count = name === null ? [] : [`${files.length} files`]
  const facts = [...(isAlone && first !== undefined ? factsOf(first) : count), ...end]
  const base = previewBase === undefined ? undefined : `${previewBase}/share/${token}`
  return {
    title,
    ...icon,
    head:
      base === undefined ? '' : previewTags({ title, facts, picture: picture && `${base}/${picture.position}.jpg` }),
    content: [
      isAlone && first !== undefined ? pictureOf(first, token) : '',
      `<h1>${escapeMarkup(title)}</h1>`,
      isAlone && name !== null && first !== undefined ? `<p>${escapeMarkup(first.title)}</p>` : '',
      facts.length === 0 ? '' : `<p>${facts.join(' · ')}</p>`,
      ...(isAlone ? files.map((file) => actionsOf(file, token)) : [allLink(token), listOf(files, token)]),
    ]
      .filter((line) => line !== '')
      .join('\n'),
    isActive: true,
  }
}

interface Preview {
  readonly title: string
  readonly facts: readonly string[]
  readonly picture: string | undefined
}

/** Tags that programs read which show a link with its title and picture. */
function previewTags({ title, facts, picture }: Preview): string {
  const tags = { 'og:title': title, 'og:description': facts.join(' · '), ...(picture && { 'og:image': picture }) }
  return Object.entries(tags)
    .map(([property, content]) => `<meta property="${property}" content="${escapeMarkup(content)}">\n`)
    .join('')
}

const allLink = (token: string): string => `<a href="${token}/all.zip" download rel="nofollow">Download all</a>`

function listOf(files: readonly OfferedFile[], token: string): string {
  const items = files.map((file) =>
    [
      '<li>',
      pictureOf(file, token),
      `<h2>${escapeMarkup(file.title)}</h2>`,
      `<p>${factsOf(file).join(' · ')}</p>`,
      actionsOf(file, token),
      '</li>',
    ]
      .filter((line) => line !== '')
      .join('\n'),
  )
  return `<ol>\n${items.join('\n')}\n</ol>`
}

/** The picture over a file; a film has it in its player. */
function pictureOf({ position, type, isPlayable, hasPicture }: OfferedFile, token: string): string {
  const isShown = hasPicture && !(type === 'video' && isPlayable)
  return isShown ? `<img src="${token}/${position}.jpg" alt="" loading="lazy">` : ''
}

function actionsOf(file: OfferedFile, token: string): string {
  const { position, title, fileName, type, isPlayable } = file
  const address = `${token}/${position}`
  const label = escapeMarkup(title)
  const wave = type === 'audio' ? [`<div class="wave" data-wave="${address}.json" hidden></div>`] : []
  return [
    // Nothing of the file is fetched before play is pressed: opening the page does not count as a use.
    ...(isPlayable
      ? [
          `<div class="player">`,
          ...wave,
          `<${type} controls preload="none" src="${address}"${posterOf(file, token)} aria-label="Player of ${label}"></${type}>`,
          `</div>`,
        ]
      : []),
    `<a href="${address}" download="${escapeMarkup(fileName)}" rel="nofollow" aria-label="Download ${label}">Download</a>`,
  ].join('\n')
}

const posterOf = ({ position, type, hasPicture }: OfferedFile, token: string): string =>
  type === 'video' && hasPicture ? ` poster="${token}/${position}.jpg"` : ''

function factsOf({ type, durationMs, sizeBytes }: OfferedFile): string[] {
  return [
    type === 'audio' ? 'Audio' : 'Video',
    ...(durationMs === null ? [] : [clockText(durationMs / 1000)]),
    ...(sizeBytes === null ? [] : [sizeText(sizeBytes)]),
  ]
}

function passwordContent(token: string, problem: 'wrong' | number | undefined): string {
  const wait = (seconds: number) =>
    `Too many wrong passwords. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`
  const text = problem === 'wrong' ? 'The password is wrong.' : problem === undefined ? undefined : wait(problem)
  return [
    '<h1>This link has a password</h1>',
    '<p>Whoever sent you the link knows it.</p>',
    // A file of the link, too, is answered with this page.
    `<form method="post" action="/share/${token}">`,
    ...(text === undefined ? [] : [`<p class="problem" role="alert" id="problem">${text}</p>`]),
    '<label for="password">Password</label>',
    `<input id="password" name="password" type="password" required maxlength="200" autocomplete="current-password" autofocus${text === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'}>`,
    '<button>Open</button>',
    '</form>',
  ].join('\n')
}

/** As the rest of the pages has it: `1.5 KiB`, `12 MiB`. */
function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${Number(value.toFixed(value < 100 ? 1 : 0))} ${units[power] ?? ''}`
}
