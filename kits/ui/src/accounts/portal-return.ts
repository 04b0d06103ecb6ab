const problems = {
  declined: 'The connection was declined at the portal. Nothing was changed.',
  expired: 'The portal’s answer came too late, or was for another browser. Connect again.',
} as const

/** How a browser comes back from the portal. */
export interface PortalReturn {
  /** `answered`: the connection can be finished. */
  readonly isAnswered: boolean
  /** What the page says; undefined when there is nothing to say. */
  readonly problem: string | undefined
  /** The address of the page without the answer. */
  readonly address: string
}

/** Reads the portal's answer in the address of the page. */
export function readPortalReturn(href: string): PortalReturn {
  const url = new URL(href)
  const code = url.searchParams.get('openid_connection') ?? ''
  url.searchParams.delete('openid_connection')
  return {
    isAnswered: code === 'answered',
    problem: Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : undefined,
    address: `${url.pathname}${url.search}${url.hash}`,
  }
}
