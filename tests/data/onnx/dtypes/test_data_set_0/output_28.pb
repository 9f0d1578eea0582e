B
f8e4m3_rawJ<À~