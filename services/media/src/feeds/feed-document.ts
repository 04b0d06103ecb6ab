import { escapeMarkup } from '@hearth/http'

/** A sound in a feed. */
export interface FeedItem {
  readonly id: string
  readonly title: string
  /** Address of the page the sound came from. */
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly publishedAt: number
  readonly durationMs: number | null
  /** Size of the stored file, bytes; the MP3 that is sent may have another. */
  readonly sizeBytes: number
}

/** A feed with its items, newest first. */
export interface FeedContent {
  readonly title: string
  /** Address of the feed; the files lie below it. */
  readonly url: string
  /** Address of the service. */
  readonly home: string
  readonly items: readonly FeedItem[]
}

/** Writes a feed as RSS 2.0 with the elements of podcast apps. */
export function feedDocument({ title, url, home, items }: FeedContent): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
<channel>
<title>${text(title)}</title>
<link>${text(home)}</link>
<description>${text(`Sounds from ${home}`)}</description>
<language>en</language>
<itunes:block>Yes</itunes:block>
<itunes:explicit>false</itunes:explicit>
<atom:link rel="self" type="application/rss+xml" href="${text(url)}"/>
${items.map((item) => itemElement(item, url)).join('')}</channel>
</rss>
`
}

function itemElement({ id, title, source, publishedAt, durationMs, sizeBytes }: FeedItem, url: string): string {
  const duration = durationMs === null ? '' : `<itunes:duration>${Math.round(durationMs / 1000)}</itunes:duration>\n`
  return `<item>
<title>${text(title)}</title>
<link>${text(source)}</link>
<guid isPermaLink="false">${text(id)}</guid>
<pubDate>${new Date(publishedAt).toUTCString()}</pubDate>
<enclosure url="${text(`${url}/${id}.mp3`)}" length="${sizeBytes}" type="audio/mpeg"/>
<itunes:image href="${text(`${url}/${id}.jpg`)}"/>
${duration}</item>
`
}

/** Characters that XML 1.0 has no way to write, and halves of pairs. */
const unwritable =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const text = (value: string): string => escapeMarkup(value.replaceAll(unwritable, ''))
