import { answer, useSession } from '@hearth/ui'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, type Hint, keys } from '../api.ts'

/** What a list of hints shows. */
export type HintStatus = 'open' | 'answered'

const read = async (status: HintStatus, limit: number, cursor?: string) => {
  const query = { status, limit, ...(cursor !== undefined && { cursor }) }
  return (await answer(api.GET('/api/hints', { params: { query } }))).data
}

/** Hints in parts, newest first. */
export function useHints(status: HintStatus) {
  return useInfiniteQuery({
    queryKey: [...keys.hints, status],
    queryFn: ({ pageParam }) => read(status, 20, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  })
}

/** The number of open hints; 0 for people who may not see them. */
export function useOpenHints(): number {
  const { isAdmin } = useSession()
  const { data } = useQuery({ queryKey: [...keys.hints, 'count'], queryFn: () => read('open', 1), enabled: isAdmin })
  return isAdmin ? (data?.open ?? 0) : 0
}

/** What is expected and makes no hints. */
export function useHintExceptions() {
  return useQuery({
    queryKey: [...keys.hints, 'exceptions'],
    queryFn: async () => (await answer(api.GET('/api/hint-exceptions'))).data,
  })
}

/** How a hint is answered. */
export type HintAnswer = { answer: 'done' } | { answer: 'expected'; scope: 'subject' | 'topic' }

/** Answers a hint. */
export const answerHint = (hint: Pick<Hint, 'id'>, body: HintAnswer) =>
  answer(
    api.POST('/api/hints/{id}/answer', {
      params: { path: { id: hint.id } },
      body: { scope: 'subject', ...body },
    }),
  )
