import { answer, describeError } from '@hearth/ui'
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, type TimeSeriesChange } from '../api.ts'
import { IconButton, Notice } from '../page-elements.tsx'

/** A button that tests the way to the server with the settings of the form, saved or not, with the result. */
export function ServerCheck({ change, disabled }: { change: () => TimeSeriesChange; disabled: boolean }) {
  const check = useMutation({
    mutationFn: () => answer(api.POST('/admin/api/time-series/test', { body: change() })),
    networkMode: 'always',
  })
  const data = check.isPending ? undefined : check.data
  const failure = check.error === null ? data?.is_ready === false && `${data.detail}.` : describeError(check.error)
  return (
    <div aria-live="polite">
      <IconButton icon={IconPlugConnected} loading={check.isPending} disabled={disabled} onClick={() => check.mutate()}>
        Test connection
      </IconButton>
      {failure !== false && (
        <Notice color="red" icon={IconCircleX} mt={10} mb={0}>
          {failure}
        </Notice>
      )}
      {data?.is_ready === true && (
        <Notice color="green" icon={IconCircleCheck} mt={10} mb={0}>
          {data.detail}.
        </Notice>
      )}
    </div>
  )
}
