import { answer, notifyDone, notifyProblem } from '@hearth/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, keys, type Parameter } from '../api.ts'

/** One switch that was moved. */
export interface ApprovalSwitch {
  name: string
  kind: 'exposed' | 'approved'
  value: boolean
}

/**
 * Saves a switch at once. The page shows it before the server has answered and takes it back when that fails; switches are
 * sent one after another, because what is shown is saved as a whole list.
 */
export function useApproval() {
  const cache = useQueryClient()
  const write = ({ name, kind, value }: ApprovalSwitch) =>
    cache.setQueryData<Parameter[]>(keys.parameters, (old) =>
      old?.map((parameter) => (parameter.name === name ? { ...parameter, [kind]: value } : parameter)),
    )
  return useMutation({
    scope: { id: 'approvals' },
    networkMode: 'always',
    onMutate: write,
    mutationFn: (change: ApprovalSwitch) => save(change, cache.getQueryData<Parameter[]>(keys.parameters) ?? []),
    onSuccess: (_, { name, kind, value }) => notifyDone(`${name} ${outcomes[kind][value ? 'on' : 'off']}`),
    onError: (error, change) => {
      write({ ...change, value: !change.value })
      notifyProblem(error)
    },
  })
}

const outcomes = {
  exposed: { on: 'is shown in readings', off: 'is no longer shown in readings' },
  approved: { on: 'is writable', off: 'is no longer writable' },
} as const

async function save({ name, kind, value }: ApprovalSwitch, parameters: readonly Parameter[]): Promise<unknown> {
  if (kind === 'approved')
    return answer(
      api.PATCH('/admin/api/parameters', {
        body: value ? { approve: [name], revoke: [] } : { approve: [], revoke: [name] },
      }),
    )
  const shown = parameters.filter(({ exposed }) => exposed).map((parameter) => parameter.name)
  const others = shown.filter((other) => other !== name)
  return answer(api.PUT('/admin/api/parameters', { body: { exposed_names: value ? [...others, name] : others } }))
}
