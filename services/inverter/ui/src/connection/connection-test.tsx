import { describeError } from '@hearth/ui'
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { IconButton, Notice } from '../page-elements.tsx'

/** What a test found out. */
interface Outcome {
  readonly works: boolean
  readonly text: string
  /** Content below the text. */
  readonly more?: ReactNode
}

/** A button that tests a connection with the values of a form, saved or not, with the outcome. */
export function ConnectionTest<Result>({
  test,
  outcomeOf,
  disabled = false,
}: {
  test: () => Promise<Result>
  outcomeOf: (result: Result) => Outcome
  disabled?: boolean
}) {
  const { mutate, isPending, data, error } = useMutation({ mutationFn: test, networkMode: 'always' })
  const failure = error === null ? undefined : { works: false, text: describeError(error), more: undefined }
  const outcome = failure ?? (isPending || data === undefined ? undefined : outcomeOf(data))
  const look = outcome?.works === true ? { color: 'green', icon: IconCircleCheck } : { color: 'red', icon: IconCircleX }
  return (
    <div aria-live="polite">
      <IconButton icon={IconPlugConnected} loading={isPending} disabled={disabled} onClick={() => mutate()}>
        Test connection
      </IconButton>
      {outcome !== undefined && (
        <Notice {...look} mt={10} mb={0} more={outcome.more}>
          {outcome.text}
        </Notice>
      )}
    </div>
  )
}
