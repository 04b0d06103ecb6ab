import { useSearchParams } from 'wouter'

/** A name to explain, and the peer that queried it; '' for any peer. */
export interface Question {
  readonly domain: string
  readonly client: string
}

/** Reads and sets the name to explain. It stands in the address, over whichever page is open: a link to it can be passed on. */
export function useQuestion(): { question: Question | undefined; explain: (question: Question | undefined) => void } {
  const [params, setParams] = useSearchParams()
  const domain = params.get('why')
  return {
    question: domain === null || domain === '' ? undefined : { domain, client: params.get('for') ?? '' },
    explain: (question) =>
      setParams((present) => {
        const next = new URLSearchParams(present)
        next.delete('why')
        next.delete('for')
        if (question !== undefined) next.set('why', question.domain)
        if (question !== undefined && question.client !== '') next.set('for', question.client)
        return next
      }),
  }
}

/** The host in what someone pasted: a name, a name with a path, or a whole address. */
export function nameIn(text: string): string {
  const trimmed = text.trim()
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  const written = address.replace(/^[^/]*\/\/(?:[^@/]*@)?/, '').replace(/[/?#:].*$/, '')
  return written === '' ? trimmed : written
}
