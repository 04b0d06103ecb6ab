import { useSearchParams } from 'wouter'

/** A name, and the peer it was asked by; '' for no one in particular. */
export interface Question {
  readonly domain: string
  readonly client: string
}

/** The question "why?" stands in the address, over whichever page is open: a link to it can be passed on. */
export function useQuestion(): { question: Question | undefined; ask: (question: Question | undefined) => void } {
  const [params, setParams] = useSearchParams()
  const domain = params.get('why')
  return {
    question: domain === null || domain === '' ? undefined : { domain, client: params.get('for') ?? '' },
    ask: (question) =>
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
