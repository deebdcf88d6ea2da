import { MqttError, type ReasonCode } from '@mqdeck/mqtt/reason-codes';

/** A client is refused. It hears the reason code alone; why is told to the operator. */
export class Refusal extends MqttError {
  readonly why: string | undefined;

  constructor(reasonCode: ReasonCode, why?: string) {
    super(reasonCode);
    this.name = 'Refusal';
    this.why = why;
  }
}
