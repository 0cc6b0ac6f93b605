import type { AtLimit } from '@ingot/contracts/budgets'
import { coversStart, quoteOf } from '@ingot/contracts/instance-costs'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import type { ChangeSearch } from '../../list/search-state.ts'
import { useTypedText } from '../../list/use-typed-text.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { limitError, limitOf } from '../../budgets/budget-text.ts'
import { type Micro, moneyText, parseUsd } from '@ingot/contracts/money'
import { deploySearch } from '../../templates/template-search.ts'
import { imageText } from '../../templates/template-text.ts'
import { openPicker } from '../instances-search.ts'
import { simulatedText } from '../simulated-text.ts'
import { ConfigureStep } from './ConfigureStep.tsx'
import { CostPanel } from './CostPanel.tsx'
import { deployCommands } from './deploy-command.ts'
import { type DeployChoices, type DeploySearch, deploySearchFor } from './deploy-search.ts'
import { DeployFailed } from './DeployFailed.tsx'
import { type EnvRow, readEnv } from './inside/env-rows.ts'
import { PaymentStep } from './PaymentStep.tsx'
import { noSecrets, shownSecrets } from './given-secrets.ts'
import { SecretsGiven } from './SecretsGiven.tsx'
import { StepHeading } from './StepHeading.tsx'
import { stockText } from './stock.ts'
import { TemplateChoice } from './TemplateChoice.tsx'
import { TemplatePicker } from './TemplatePicker.tsx'
import { useSuggestedDisk } from './use-suggested-disk.ts'
import { useDeploy } from './use-deploy.ts'
import { type DeployCatalog, useDeployData } from './use-deploy-data.ts'
import { WalletPanel } from './WalletPanel.tsx'

interface DeployFormProps {
  readonly catalog: DeployCatalog
  readonly state: DeploySearch
  readonly change: ChangeSearch
  /** It was deployed, or queued. */
  readonly isSent: (state: DeploySearch) => void
  /** Over the first step. */
  readonly children: ReactNode
}

export function DeployForm({ catalog, state, change, isSent, children }: DeployFormProps) {
  const { choices, step, templateId, templateKey } = state
  const [given, setGiven] = useState(noSecrets)
  const [envRows, setEnvRows] = useState<readonly EnvRow[]>([])
  const { env, wrong, error: envError } = readEnv(envRows)
  const navigate = useNavigate()
  const offline = useOfflineReason()
  const { addFunds, isTestNetwork } = useWallet()
  const data = useDeployData(state, catalog)
  const { gpu, price, stock, region, wallet } = data
  useSuggestedDisk(data.template, choices, change)
  const set = (changes: Partial<DeployChoices>) => change(deploySearchFor(changes))
  const typed = useTypedText(choices.name, name => set({ name }))
  const name = step === 1 ? typed.text : choices.name
  const typedBudget = useTypedText(choices.budget ?? '', budget => set({ budget: budget || undefined }))
  const budget = step === 1 ? typedBudget.text : choices.budget
  const budgetError = budget ? budgetErrorOf(budget, choices.budget_at, price.total) : null

  const { deploy, busy, failure } = useDeploy(
    () => {
      isSent(state)
      void navigate({ to: '/console/instances', replace: true })
    },
    failed => Object.keys(failed.fields).length > 0 && change({ step: undefined }),
  )

  // What is billed by the hour and is not to run needs no place.
  const needsPlace = choices.start || choices.billing_period !== 'hourly'
  const isFull = needsPlace && (stock.kind !== 'here' || failure?.code === 'no_capacity')
  // Where no host has such a card at all, nobody waits for one.
  const queues = isFull && gpu.free[choices.region] !== undefined
  const shortage =
    (isFull && !queues ? stockText(stock, choices.gpu_type, choices.region) : null) ??
    (!region.available ? (region.reason ?? 'This region is not available.') : null) ??
    (data.isTemplateUnknown ? 'Choose another template first: this one does not exist.' : null)
  const noKey = choices.ssh_keys?.length === 0 ? 'Choose at least one SSH key.' : null
  const badEnv = wrong.size > 0 || envError ? 'Look at the environment variables first.' : null
  const cannotContinue = name.trim()
    ? (shortage ?? budgetError ?? noKey ?? badEnv)
    : 'Give the instance a name first.'
  const cannotDeploy =
    offline ??
    shortage ??
    budgetError ??
    noKey ??
    badEnv ??
    (wallet.balance === null
      ? (wallet.problem ?? 'Your wallet balance is being checked.')
      : !coversStart(wallet.balance, wallet.reserve, price.total)
        ? 'Insufficient funds in wallet'
        : null)

  const quote = quoteOf(price)
  const simulated = simulatedText(region)
  const total = formatMoney(quote.quoted_total)

  return (
    <div className="flex flex-col gap-6">
      <PageHeading lead="Prices are per hour and billed by the second. Stock is live.">
        Deploy instance
      </PageHeading>
      <div className="flex flex-col gap-8 lg:flex-row lg:items-start">
        <div className="flex min-w-0 grow flex-col gap-6">
          <StepHeading step={step} />
          {step === 1 && children}
          {failure && <DeployFailed failure={failure} price={price} />}
          <TemplateChoice
            state={state}
            template={data.template}
            isUnknown={data.isTemplateUnknown}
            onChange={() => change(openPicker, { step: true })}
          />
          {data.template && (
            <SecretsGiven
              template={data.template}
              given={given}
              onChange={setGiven}
              errors={failure?.fields ?? {}}
            />
          )}
          {step === 1 ? (
            <ConfigureStep
              choices={choices}
              onChange={set}
              typed={typed}
              budget={typedBudget}
              budgetError={budgetError}
              gpu={gpu}
              gpus={catalog.gpus}
              regions={catalog.regions}
              stock={stock}
              preferences={data.preferences}
              unsoldGpu={state.unsoldGpu}
              errors={failure?.fields ?? {}}
              template={data.template}
              env={envRows}
              onEnv={setEnvRows}
            />
          ) : (
            <PaymentStep
              choices={choices}
              env={Object.keys(env)}
              gpu={gpu}
              region={region}
              price={price}
              queues={queues}
              onBack={() => change({ step: undefined }, { step: true })}
              onStart={start => set({ start })}
            />
          )}
        </div>
        <div className="flex w-full shrink-0 flex-col gap-6 lg:sticky lg:top-16 lg:max-w-aside">
          <CostPanel
            choices={choices}
            gpu={gpu}
            price={price}
            wallet={
              wallet.balance === null || (step === 2 && wallet.balance < price.total + wallet.reserve)
                ? null
                : { balance: wallet.balance, spendingPerHour: wallet.spendingPerHour }
            }
            simulated={simulated}
            image={data.template ? imageText(region, data.template) : null}
            preferences={data.preferences}
          >
            {step === 1 ? (
              <Button
                variant="primary"
                size="l"
                disabledReason={cannotContinue}
                onClick={() =>
                  change(
                    { ...deploySearchFor({ ...choices, budget: budget || undefined }), name, step: '2' },
                    { step: true },
                  )
                }
              >
                Continue to Payment
              </Button>
            ) : (
              <>
                <WalletPanel
                  total={price.total}
                  reserve={wallet.reserve}
                  balance={wallet.balance}
                  problem={wallet.problem}
                  minimum={data.minimumDeposit}
                  onRetry={wallet.retry}
                  onAddFunds={addFunds}
                />
                {queues && (
                  <Band tone="warn">
                    {stockText(stock, choices.gpu_type, choices.region) ??
                      `No ${choices.gpu_type} is free in ${choices.region} right now.`}{' '}
                    In the queue it starts by itself in its turn, at the price shown here, and you are told by
                    mail.
                  </Band>
                )}
                <Button
                  variant="primary"
                  size="l"
                  busy={busy}
                  disabledReason={cannotDeploy}
                  onClick={() => deploy({ templateId, templateKey, given, env, choices, quote, queues })}
                  className="h-auto! min-h-touch py-2 whitespace-normal!"
                >
                  {queues ? `Queue for ${total}` : `Deploy Instance for ${total}`}
                  {region.hardware === 'simulated' && !isTestNetwork && ' (simulated GPU)'}
                </Button>
              </>
            )}
          </CostPanel>
          <CommandBlock
            label="The same as a command"
            commands={deployCommands(
              location.origin,
              {
                ...choices,
                name,
                budget,
                template_id: templateId,
                ...(templateKey && { template_key: templateKey }),
                ...(Object.keys(env).length > 0 && { env }),
                ...shownSecrets(given),
              },
              queues,
            )}
            onCopied={() => toast.success('Copied to clipboard')}
          />
        </div>
      </div>
      <TemplatePicker
        open={state.isPicking}
        onClose={() => change({ deploy: undefined })}
        onConfigure={template => {
          setGiven(noSecrets)
          change({ deploy: undefined, templateKey: undefined, ...deploySearch(template) })
        }}
      />
    </div>
  )
}

/** What is paid at once counts already. */
function budgetErrorOf(typed: string, at: AtLimit | undefined, total: Micro): string | null {
  const wrong = limitError(typed)
  if (wrong || at === 'warn' || parseUsd(limitOf(typed)) >= total) return wrong
  return `A budget must be at least ${moneyText(total, 'up')}, which is paid at once`
}
