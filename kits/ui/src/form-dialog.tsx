import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { useAction } from './use-action.ts'
import { applyFieldProblems } from './form-problems.ts'
import { Problem } from './sign-in.tsx'

interface FormDialogProps<Values extends Record<string, unknown>, Output> {
  opened: boolean
  onClose(): void
  title: string
  form: UseFormReturnType<Values>
  submitLabel: string
  /** Look of the button that submits, and whether it waits. */
  submitButton?: Pick<ButtonProps, 'color' | 'disabled' | 'leftSection'>
  cancelLabel?: string
  /** Shown while the answer is awaited. */
  progress?: ReactNode
  submit(values: Values): Promise<Output>
  onDone?(output: Output): void
  renew?: readonly (readonly unknown[])[]
  size?: string
  children: ReactNode
}

/** A form in a dialog: the server's field problems stand at their inputs, any other above them; Escape closes it. */
export function FormDialog<Values extends Record<string, unknown>, Output>(props: FormDialogProps<Values, Output>) {
  return (
    <Modal opened={props.opened} onClose={() => props.onClose()} title={props.title} size={props.size ?? 'md'}>
      <FormBody {...props} />
    </Modal>
  )
}

function FormBody<Values extends Record<string, unknown>, Output>(props: FormDialogProps<Values, Output>) {
  const [problem, setProblem] = useState<string>()
  const action = useAction<Values, Output>({
    run: (values) => props.submit(values),
    renew: props.renew ?? [],
    onDone: (output) => {
      props.onClose()
      props.onDone?.(output)
    },
    onProblem: (error) => setProblem(applyFieldProblems(props.form, error) ?? undefined),
  })
  const submit = props.form.onSubmit((values) => {
    setProblem(undefined)
    action.mutate(values)
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Problem text={problem} />
        {props.children}
        {action.isPending && props.progress}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={() => props.onClose()}>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <Button type="submit" loading={action.isPending} {...props.submitButton}>
            {props.submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
