/** What credit must be: given once, used before the balance until its end, and back where it came from. */

interface Drawing {
  /** Micro-USD × ms. */
  drawn(t: number, now: number | null): bigint
}

const perMicro = 3_600_000n
export const given = 10_000_000n

export class Credit {
  micro = 0n
  /** When what is there ends; never before it was given. */
  endsAt = Number.NEGATIVE_INFINITY
  private isGiven = false
  private readonly wallet: Drawing
  constructor(wallet: Drawing) {
    this.wallet = wallet
  }

  grant(endsAt: number): void {
    if (this.isGiven) return
    this.isGiven = true
    this.micro = given
    this.endsAt = endsAt
  }

  /** What it pays of what is drawn up to `until`: nothing that is drawn after its end. */
  covers(until: number, now: number | null = null): bigint {
    if (this.micro === 0n) return 0n
    const drawn = this.wallet.drawn(Math.min(until, this.endsAt), now) / perMicro
    return drawn < this.micro ? drawn : this.micro
  }
  left(at: number): bigint {
    return this.endsAt > at ? this.micro - this.covers(at) : 0n
  }

  /** At most so much. */
  use(micro: bigint): bigint {
    const used = micro < this.micro ? micro : this.micro
    this.micro -= used
    return used
  }
  giveBack(micro: bigint, at: number): void {
    if (micro === 0n) return
    this.micro += micro
    this.lapse(at)
  }

  /** When it wants a settlement: at its end, where some is left. */
  get dueAt(): number {
    return this.micro > 0n ? this.endsAt : Number.POSITIVE_INFINITY
  }
  lapse(at: number): void {
    if (this.endsAt <= at) this.micro = 0n
  }
}
