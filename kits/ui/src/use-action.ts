import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyDone, notifyProblem } from './notifications.tsx'

/** A change somebody asks for, and what is said about how it ended. */
export interface Action<Input, Output> {
  run(input: Input): Promise<Output>
  /** The sentence for success; left out, the answer's own `message` is said. */
  done?(output: Output, input: Input): string
  /** Cached answers to read again afterwards. */
  renew?: readonly QueryKey[]
  onDone?(output: Output, input: Input): void
  /** Takes over the telling of a failure, for forms that show it themselves. */
  onProblem?(error: unknown): void
}

/** A mutation that always tells how it ended, as a notification unless a form shows the problem itself. */
export function useAction<Input = void, Output = unknown>(action: Action<Input, Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => action.run(input),
    onSuccess: (output, input) => {
      for (const queryKey of action.renew ?? []) void client.invalidateQueries({ queryKey })
      const message = action.done === undefined ? messageOf(output) : action.done(output, input)
      if (message !== undefined) notifyDone(message)
      action.onDone?.(output, input)
    },
    onError: (error) => (action.onProblem === undefined ? notifyProblem(error) : action.onProblem(error)),
  })
}

function messageOf(output: unknown): string | undefined {
  const told = typeof output === 'object' && output !== null && 'message' in output ? output.message : undefined
  return typeof told === 'string' ? told : undefined
}
