import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { escapeMarkup } from '@hearth/http'
import { clockText } from '../jobs/job-view.ts'

/** Content of a link's landing page. */
export interface Offer {
  readonly title: string
  /** Name the file is saved under. */
  readonly fileName: string
  readonly type: 'audio' | 'video'
  readonly sizeBytes: number
  readonly durationMs: number | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null
  /** True if browsers play the file. */
  readonly isPlayable: boolean
}

/** Creates the pages of links: complete in themselves, without scripts. */
export function createSharePages() {
  const style = readFileSync(new URL('share-page.css', import.meta.url), 'utf8')
  const styleHash = createHash('sha256').update(style).digest('base64')
  const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
<header>Hearth Media</header>
<main>
${content}
</main>
</html>
`
  return {
    offer: (offer: Offer): string => page(escapeMarkup(offer.title), offerContent(offer)),
    /** The page of every invalid link. */
    nothing: page(
      'Nothing here',
      '<h1>There is nothing here</h1>\n<p>The link is wrong, was used up, or has run out. Ask whoever sent it for a new one.</p>',
    ),
    /** The policy they are sent with: nothing but their own style, and the file itself. */
    policy: [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      "media-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

function offerContent(offer: Offer): string {
  const { type, durationMs, expiresAt } = offer
  const facts = [
    type === 'audio' ? 'Audio' : 'Video',
    ...(durationMs === null ? [] : [clockText(durationMs / 1000)]),
    sizeText(offer.sizeBytes),
    ...(expiresAt === null ? [] : [`available until ${new Date(expiresAt).toISOString().slice(0, 10)}`]),
  ]
  // Nothing is fetched before play is pressed: opening the page does not count as a use.
  const player = `<${type} controls preload="none" src="?download=1" aria-label="Player"></${type}>`
  return [
    `<h1>${escapeMarkup(offer.title)}</h1>`,
    `<p>${facts.join(' · ')}</p>`,
    ...(offer.isPlayable ? [player] : []),
    `<a href="?download=1" download="${escapeMarkup(offer.fileName)}" rel="nofollow">Download</a>`,
  ].join('\n')
}

/** As the rest of the pages has it: `1.5 KiB`, `12 MiB`. */
function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${Number(value.toFixed(value < 100 ? 1 : 0))} ${units[power] ?? ''}`
}
