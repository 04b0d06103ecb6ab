/** What a request to redeem a link says of its sender. */
export interface Asking {
  /** `?download=1`, of the landing page's own button and player. */
  readonly isDownload: boolean
  readonly accept: string
  readonly userAgent: string
}

/** Programs that look at links in messages, by what they call themselves. */
const preview =
  /bot\b|crawl|spider|preview|externalhit|facebook|whatsapp|telegram|slack|discord|twitter|linkedin|skype|iframely|embed|unfurl|mastodon|pleroma|vkshare|viber|signal|https?:\/\//i

/**
 * Whether the file itself is wanted, which counts as a use, or the page that offers it. Browsers that follow a link get the
 * page, and so do programs that only look what is behind it, whatever they accept: they call themselves a browser, or say in
 * their name what they are. Everything else is a script, which gets the file at once.
 */
export function asksForFile({ isDownload, accept, userAgent }: Asking): boolean {
  if (isDownload) return true
  const isBrowser = accept.includes('text/html') || /^mozilla\//i.test(userAgent)
  return !isBrowser && !preview.test(userAgent)
}
