import { minimumDepositUsdt, networkFeeNote } from '@ingot/contracts/wallet'
import { Button } from '../../ui/Button.tsx'
import { testNetworkWarning } from '../wallet/network-warning.ts'
import { useWallet } from '../wallet/wallet.tsx'

/** Why and how to pay with USDT, and what happens when the balance is gone. */
export function UsdtPanel() {
  const { addFunds, isTestNetwork } = useWallet()
  return (
    <section
      aria-labelledby="usdt"
      className="grid gap-x-8 gap-y-4 rounded-panel border border-line bg-raised p-4 lg:grid-cols-2"
    >
      <div className="flex flex-col items-start gap-2">
        <h2 id="usdt" className="text-heading">
          Pay with USDT
        </h2>
        <p className="text-muted">
          Send USDT on TRON (TRC20) to an address that is yours alone. It is credited by itself, as a rule
          within two minutes, for exactly what arrived. From ${minimumDepositUsdt}; the network takes{' '}
          {networkFeeNote} from your own wallet, and nothing is kept here.
        </p>
        {isTestNetwork && <p className="font-medium text-warn">{testNetworkWarning}</p>}
        <Button onClick={() => addFunds()}>Deposit USDT</Button>
      </div>
      <div className="flex flex-col gap-2 border-line max-lg:border-t max-lg:pt-4 lg:border-l lg:pl-8">
        <h3 className="text-heading">What happens at zero</h3>
        <ul className="flex flex-col gap-1 text-muted">
          <li>Running instances are stopped. Nothing is charged beyond what was there.</li>
          <li>Their disks stay, and a stopped instance costs nothing.</li>
          <li>
            A network volume or snapshot whose month is not covered is kept for seven days, read-only. Then it
            is deleted.
          </li>
          <li>Add funds: unpaid months are paid by themselves, and what stopped can be started again.</li>
        </ul>
      </div>
    </section>
  )
}
